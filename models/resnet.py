"""ResNet-18 and -50 of torch.nn modules only: the same networks as torchvision's, made by the PyTorch whose exporters
they are compared with."""

import torch
from torch import nn

from models.settle import scale_head, settle_batch_norms


def downsampling(channels: int, wanted: int, stride: int) -> nn.Module:
    """The path by which a block adds its input."""
    if stride == 1 and channels == wanted:
        return nn.Identity()
    conv = nn.Conv2d(channels, wanted, 1, stride, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(wanted))


class BasicBlock(nn.Module):
    EXPANSION = 1

    def __init__(self, channels: int, width: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = downsampling(channels, width, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(y)) + self.downsample(x))


class Bottleneck(nn.Module):
    EXPANSION = 4

    def __init__(self, channels: int, width: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.downsample = downsampling(channels, 4 * width, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.bn1(self.conv1(x)))
        y = torch.relu(self.bn2(self.conv2(y)))
        return torch.relu(self.bn3(self.conv3(y)) + self.downsample(x))


class ResNet(nn.Module):
    def __init__(self, block: type, blocks: tuple, width: int = 64, classes: int = 1000):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        channels = width
        for number, count in enumerate(blocks):
            stage = []
            for index in range(count):
                stride = 2 if number > 0 and index == 0 else 1
                stage.append(block(channels, width * 2**number, stride))
                channels = block.EXPANSION * width * 2**number
            self.add_module(f"layer{number + 1}", nn.Sequential(*stage))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(channels, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


def resnet18(width: int = 64) -> nn.Module:
    return ResNet(BasicBlock, (2, 2, 2, 2), width)


def resnet50(width: int = 64) -> nn.Module:
    return ResNet(Bottleneck, (3, 4, 6, 3), width)


def settle(model: nn.Module) -> None:
    """BatchNorm statistics of a batch, and logits with a standard deviation of one."""
    images = torch.randn(8, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    settle_batch_norms(model, images)
    scale_head(model, model.fc, images[:1])
