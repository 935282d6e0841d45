/*
 * The text of the page before and after its document, made by scripts/embed-page. Private to
 * core/report/page.
 */
#ifndef HTP_REPORT_PAGE_TEXT_H
#define HTP_REPORT_PAGE_TEXT_H

extern const char htp_page_head[];
extern const char htp_page_tail[];

#endif
