/** What the server wrote into the document (src/dashboard). */
const { base = '', environment } = document.documentElement.dataset

/** The path that a proxy puts before every path of Railyard; mostly empty. */
export const basePath: string = base
export const isSandbox: boolean = environment !== 'production'
