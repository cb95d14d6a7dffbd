import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'

const CALIBRATION_MS = 250
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const message = Buffer.from('calibration')
const signature = sign('sha256', message, privateKey)

/** ES256 verifications a second of one thread now: a round during which this changed was disturbed. */
export function calibrate(): number {
  const began = performance.now()
  let count = 0
  while (performance.now() - began < CALIBRATION_MS) {
    for (let i = 0; i < 20; i++) verify('sha256', message, publicKey, signature)
    count += 20
  }
  return (count / (performance.now() - began)) * 1000
}

/** The share of CPU time that the host gave to others since the last call, in percent. */
export function stealMeter(): () => number {
  const read = () => {
    const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/).map(Number) ?? []
    return { total: ticks.reduce((sum, each) => sum + each, 0), steal: ticks[7] ?? 0 }
  }
  let last = read()
  return () => {
    const now = read()
    const share = ((now.steal - last.steal) / Math.max(1, now.total - last.total)) * 100
    last = now
    return share
  }
}

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()

/** The line that every recorded figure needs: time, machine and version. */
export function provenance(): string {
  const changed = git('status', '--porcelain', 'src', 'package.json').split('\n').filter(Boolean).length
  const state = `${git('rev-parse', '--short', 'HEAD')}${changed > 0 ? ` with ${changed} files changed` : ''}`
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${new Date().toISOString().slice(0, 16)}Z · ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'} · ${memory} GB · Node ${process.version} · git ${state} · load ${loadavg()[0]?.toFixed(2)}`
}
