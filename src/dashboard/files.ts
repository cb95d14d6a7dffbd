import { readdirSync, readFileSync } from 'node:fs'

/** The built dashboard: `npm run build --workspace dashboard`, and `npm ci` by itself. */
const folder = new URL('../../dashboard/dist/', import.meta.url)

/** A file of the built dashboard, which never changes under its name. */
export interface DashboardFile {
  type: string
  content: Buffer
  /** The same, gzipped. */
  gzipped: Buffer
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

let names: ReadonlySet<string> | undefined
const files = new Map<string, DashboardFile>()

/**
 * A file of the folder `assets` by its name; undefined: there is none. Names are those of the folder's own
 * listing, so that no path can leave it. A file is read when it is asked for first.
 */
export function dashboardFile(name: string): DashboardFile | undefined {
  names ??= new Set(listed('assets/').filter((each) => !each.endsWith('.gz')))
  const type = types[name.split('.').at(-1) ?? '']
  if (!names.has(name) || !type) return undefined
  let file = files.get(name)
  if (!file) {
    file = { type, content: read(`assets/${name}`), gzipped: read(`assets/${name}.gz`) }
    files.set(name, file)
  }
  return file
}

let index: string | undefined

/** The document of every page; undefined: the dashboard is not built. */
export function dashboardDocument(): string | undefined {
  if (index === undefined && listed('').includes('index.html')) index = read('index.html').toString()
  return index
}

const read = (path: string): Buffer => readFileSync(new URL(path, folder))

function listed(path: string): string[] {
  try {
    return readdirSync(new URL(path, folder))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
