/*
 * What a terminal obeys, in text of a file that is about to be shown. Defined in text.c.
 */
#ifndef HTP_BASE_DISARM_H
#define HTP_BASE_DISARM_H

/** Puts @p with in the place of each byte of what a terminal obeys or cannot show: control codes,
 * ends of lines, marks that turn the direction of text, and invalid UTF-8. */
void htp_text_disarm(char *string, char with);

#endif
