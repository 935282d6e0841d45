/*
 * The text of the page before and after its document, made by scripts/embed-page. Private to
 * core/report.
 */
#ifndef HTP_REPORT_PAGE_PAGE_H
#define HTP_REPORT_PAGE_PAGE_H

extern const char htp_page_head[];
extern const char htp_page_tail[];

#endif
