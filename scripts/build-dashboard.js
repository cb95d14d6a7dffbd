// @ts-check
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

// npm run build --workspace dashboard, and npm ci by itself: the dashboard's files, each with its gzipped copy,
// into dashboard/dist. JavaScript, since npm ci may run it with another Node than the service's

/** A person waits for it before the first page is usable. */
const MOST_GZIPPED_BYTES = 150_000
const folder = fileURLToPath(new URL('../dashboard/', import.meta.url))

// React's development build, which tests would ask for, is several times as large
process.env['NODE_ENV'] = 'production'

try {
  const { build } = await import('vite')
  await build({ configFile: `${folder}vite.config.ts`, logLevel: 'warn' })
  const assets = `${folder}dist/assets/`
  for (const name of readdirSync(assets))
    writeFileSync(`${assets}${name}.gz`, gzipSync(readFileSync(`${assets}${name}`), { level: 9 }))
  const size = firstBytes()
  console.log(`dashboard: the first page has ${size} bytes of gzipped script`)
  if (size > MOST_GZIPPED_BYTES) {
    console.error(`dashboard: that is more than ${MOST_GZIPPED_BYTES}`)
    failUnlessInstalling()
  }
} catch (error) {
  console.error(`dashboard: not built (${error instanceof Error ? error.message : error})`)
  failUnlessInstalling()
}

/** An installation runs without the dashboard, whose packages are development dependencies, and with a large one. */
function failUnlessInstalling() {
  if (process.env['npm_lifecycle_event'] !== 'prepare') process.exitCode = 1
}

/** The script of the entry, and of the start page, which is loaded after it. */
function firstBytes() {
  /** @type {Record<string, { file: string, imports?: string[] }>} */
  const manifest = JSON.parse(readFileSync(`${folder}dist/.vite/manifest.json`, 'utf8'))
  const needed = new Set()
  /** @param {string} name */
  const add = (name) => {
    if (needed.has(name)) return
    needed.add(name)
    for (const each of manifest[name]?.imports ?? []) add(each)
  }
  add('index.html')
  add('src/pages/home/home.page.tsx')
  return [...needed].reduce(
    (sum, name) => sum + gzipSync(readFileSync(`${folder}dist/${manifest[name]?.file}`), { level: 9 }).length,
    0,
  )
}
