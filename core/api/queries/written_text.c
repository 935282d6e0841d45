#include "api/queries/written_text.h"

#include "onnx/files/delivery.h"

#include <string.h>

static htp_status count_text(void *user, const char *location, htp_delivery_sizes *sizes)
{
    (void)location;
    *sizes = (htp_delivery_sizes){strlen(user), 0};
    return HTP_OK;
}

static htp_delivery_end put_text(void *user, htp_output *output)
{
    htp_output_append(output, user, strlen(user));
    return HTP_DELIVERY_DONE;
}

static htp_status check_nothing(void *user)
{
    (void)user;
    return HTP_OK;
}

htp_status htp_text_write(htp_arena *arena, const char *text, const char *path)
{
    char *user = htp_arena_printf(arena, "%s\n", text);
    const htp_delivery delivery = {user, count_text, put_text, put_text, check_nothing};
    htp_delivered delivered;
    return htp_deliver(arena, &delivery, path, &delivered);
}
