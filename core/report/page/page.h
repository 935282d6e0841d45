/*
 * The page's text before and after its document. Private to core/report; scripts/embed-page makes
 * it.
 */
#ifndef HTP_REPORT_PAGE_PAGE_H
#define HTP_REPORT_PAGE_PAGE_H

extern const char htp_page_head[];
extern const char htp_page_tail[];

#endif
