/*
 * Queries of programs about devices, for files saved on the CPU.
 */
#include "lists_fixture.h"

UNIT_TEST(every_tensor_is_on_the_cpu)
{
    list_gives(arena,
               "  %d:Device = prim::device(%a)\n"
               "  %s:str = aten::str(%d)\n"
               "  %t:str = prim::type(%d)\n"
               "  %i:int = prim::index(%d)\n"
               "  %c:bool = prim::is_cuda(%a)\n"
               "  %g:int = aten::get_device(%a)\n"
               "  -> %s, %t, %i, %c, %g\n",
               "=> \"cpu\", \"cpu\", None, False, -1");
}

UNIT_TEST(devices_that_are_made)
{
    list_gives(arena,
               "  %n:str = prim::Constant<\"cuda\">()\n"
               "  %d:Device = aten::device(%n, %1)\n"
               "  %t:str = prim::type(%d)\n"
               "  %i:int = prim::index(%d)\n"
               "  %s:str = aten::str(%d)\n"
               "  -> %t, %i, %s\n",
               "=> \"cuda\", 1, \"cuda:1\"");
}

UNIT_TEST(devices_that_are_compared)
{
    list_gives(arena,
               "  %n:str = prim::Constant<\"cuda\">()\n"
               "  %d:Device = aten::device(%n)\n"
               "  %o:Device = aten::device(%n, %1)\n"
               "  %e:bool = aten::eq(%d, %d)\n"
               "  %u:bool = aten::eq(%d, %o)\n"
               "  %v:bool = aten::ne(%d, %o)\n"
               "  -> %e, %u, %v\n",
               "=> True, False, True");
}

UNIT_TEST(what_is_no_device_is_refused)
{
    list_gives(
        arena,
        "  %n:str = prim::Constant<\"nosuch:3\">()\n"
        "  %d:Device = aten::device(%n)\n"
        "  -> %d\n",
        "\"nosuch:3\" is no device of PyTorch, and no tensor of the file was saved on it, in the "
        "root module");
}

UNIT_TEST(what_is_moved_is_elsewhere)
{
    list_gives(arena,
               "  %c = aten::cuda(%a)\n"
               "  %b = aten::cpu(%c)\n"
               "  %x:bool = prim::is_cuda(%a)\n"
               "  %y:bool = prim::is_cuda(%c)\n"
               "  %z:bool = prim::is_cuda(%b)\n"
               "  -> %x, %y, %z\n",
               "%1[2] = aten::clone(a, None)\n"
               "%2[2] = aten::clone(%1, None)\n"
               "=> False, True, False");
}

UNIT_TEST(what_is_there_is_not_moved)
{
    list_gives(arena,
               "  %c = aten::cpu(%a)\n"
               "  %i:bool = aten::__is__(%a, %c)\n"
               "  -> %i\n",
               "=> True");
}

UNIT_MAIN("interpret: devices", every_tensor_is_on_the_cpu, devices_that_are_made,
          devices_that_are_compared, what_is_no_device_is_refused, what_is_moved_is_elsewhere,
          what_is_there_is_not_moved)
