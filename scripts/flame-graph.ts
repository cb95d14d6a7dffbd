import { readFile, writeFile } from 'node:fs/promises'

// Draws a flame graph of what a process was doing: node scripts/flame-graph.ts CPU.….cpuprofile out.svg
// [seconds to leave out at the beginning] `node --cpu-prof src/main.js start` writes such a profile when it
// ends. docs/performance.md has the one of a service under load.

interface Profile {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
    children?: number[]
  }[]
  samples: number[]
  /** Microseconds between samples. */
  timeDeltas: number[]
}

interface Frame {
  name: string
  place: string
  time: number
  callees: Map<string, Frame>
}

const [file = '', out = 'flame-graph.svg', warmUp = '0'] = process.argv.slice(2)
const profile: Profile = JSON.parse(await readFile(file, 'utf8'))

/** Where a function is: a folder of ours, a package, or Node. */
function placeOf(url: string): string {
  const [, installed] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  const [, own] = /\/src\/(.+)$/.exec(url) ?? []
  return own ? `src/${own}` : (installed ?? (url === '' ? 'V8' : url.startsWith('node:') ? 'node' : 'other'))
}

const isAsleep = (name: string) => name === '(idle)' || name === '(program)'

function framesOf({ nodes, samples, timeDeltas }: Profile, after: number): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callers = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const all: Frame = { name: 'all', place: '', time: 0, callees: new Map() }
  let passed = 0
  for (const [index, sample] of samples.entries()) {
    const time = timeDeltas[index] ?? 0
    passed += time
    if (passed < after || isAsleep(byId.get(sample)?.callFrame.functionName ?? '')) continue
    const stack: number[] = []
    for (let id: number | undefined = sample; id !== undefined; id = callers.get(id)) stack.unshift(id)
    all.time += time
    let frame = all
    for (const id of stack.slice(1)) {
      const { functionName, url } = byId.get(id)?.callFrame ?? { functionName: '', url: '' }
      const [name, place] = [functionName || '(anonymous)', placeOf(url)]
      const known = frame.callees.get(`${name} ${place}`) ?? { name, place, time: 0, callees: new Map() }
      frame.callees.set(`${name} ${place}`, known)
      known.time += time
      frame = known
    }
  }
  return all
}

const [WIDTH, ROW, LEAST] = [1_200, 16, 0.002]
const colours: [prefix: string, colour: string][] = [
  ['src/', '#e8743b'],
  ['node', '#8fb9a8'],
  ['V8', '#b9b9b9'],
  ['', '#f0c05a'],
]
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function draw(frame: Frame, whole: number, x: number, depth: number, rows: string[][]): void {
  const width = (frame.time / whole) * WIDTH
  const share = `${((frame.time / whole) * 100).toFixed(1)} %`
  const colour = colours.find(([prefix]) => frame.place.startsWith(prefix))?.[1] ?? ''
  const label = `${frame.name} ${frame.place}`.trim()
  const text =
    width > 40
      ? `<text x="${(x + 3).toFixed(1)}" y="${depth * ROW + 12}">${escaped(label.slice(0, Math.floor(width / 6)))}</text>`
      : ''
  rows[depth] ??= []
  rows[depth]?.push(
    `<g><title>${escaped(label)}, ${share}</title><rect x="${x.toFixed(1)}" y="${depth * ROW}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colour}"/>${text}</g>`,
  )
  let at = x
  for (const callee of [...frame.callees.values()].toSorted((a, b) => b.time - a.time)) {
    if (callee.time / whole >= LEAST) draw(callee, whole, at, depth + 1, rows)
    at += (callee.time / whole) * WIDTH
  }
}

const all = framesOf(profile, Number(warmUp) * 1e6)
const rows: string[][] = []
draw(all, all.time, 0, 0, rows)
const height = rows.length * ROW
await writeFile(
  out,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">\n<title>Flame graph</title>\n${rows.flat().join('\n')}\n</svg>\n`,
)
console.log(`${(all.time / 1e6).toFixed(1)} s of work, ${rows.length} frames deep: ${out}`)
