/*
 * A few rows turned into columns. Private to core/onnx/serialize.
 */
#ifndef HTP_ONNX_TILE_H
#define HTP_ONNX_TILE_H

#include <stddef.h>
#include <stdint.h>

enum { HTP_TILE = 16 }; /* rows and columns: cache lines that a first-level cache holds */

/**
 * Writes element c of row r as element r of column c, for all @p columns.
 * @param size     bytes of an element: 1, 2, 4 or 8
 * @param to       column 0; columns follow each other by @p rows elements
 * @param from     the rows
 * @param count    of rows, at most HTP_TILE
 */
void htp_tile_turn(size_t size, unsigned char *to, uint64_t rows, const unsigned char *const *from,
                   uint64_t count, uint64_t columns);

#endif
