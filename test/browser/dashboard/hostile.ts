import type { Page } from 'playwright-core'

/** What a stranger may have typed into a field that a page shows. */
export const hostileText = `<img src=x onerror=alert(1)>"><script>alert(2)</script>\u202Eevil javascript:alert(3)`

/** What a page has made of text: markup that runs, or an address that does. None is right. */
export const ranAsMarkup = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('img[src=x], script:not([src]), [onerror], a[href^="javascript:" i]')]
    .map((element) => element.outerHTML)`) as Promise<string[]>
