// Runs a model in onnxruntime-web: node web.mjs NODE_FOLDER MODEL.onnx INPUTS.json
// Prints the outputs of each size as JSON.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, model, inputs] = process.argv.slice(2);
const ort = createRequire(join(folder, 'package.json'))('onnxruntime-web');
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'fatal';

const BIG = new Set(['int64', 'uint64']);

function tensorOf({ type, dims, data }) {
    const values = BIG.has(type) ? BigInt64Array.from(data, BigInt) : data;
    return new ort.Tensor(type, values, dims);
}

const session = await ort.InferenceSession.create(readFileSync(model));
const answers = [];
for (const given of JSON.parse(readFileSync(inputs, 'utf8'))) {
    const feeds = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, tensorOf(value)]));
    const found = await session.run(feeds);
    answers.push(Object.fromEntries(Object.entries(found).map(([name, tensor]) => [
        name, { type: tensor.type, dims: tensor.dims, data: Array.from(tensor.data, Number) },
    ])));
}
console.log(JSON.stringify(answers));
