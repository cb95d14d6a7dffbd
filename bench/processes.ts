import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** A program that runs beside the bench. */
export interface Program {
  pid: number
  /** Its output so far. */
  output(): string
  /** Milliseconds from its start to the first line that matches, and the match. */
  said: { ms: number; match: RegExpExecArray }
  /** Sends a signal and returns its next output that matches. */
  signal(name: NodeJS.Signals, expected: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
}

const TIMEOUT_MS = 120_000

/** All of them end with the bench, however it ends. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Runs Node on `args` and waits until it writes what matches `ready`. */
export async function startNode(
  args: string[],
  env: Record<string, string>,
  ready: RegExp,
  cwd?: string,
): Promise<Program> {
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd && { cwd }),
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const transcript = listen(child)
  const match = await transcript.expect(ready)
  const ms = performance.now() - began
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    pid: child.pid ?? 0,
    output: transcript.text,
    said: { ms, match },
    async signal(name, expected) {
      const answer = transcript.expect(expected, transcript.text().length)
      child.kill(name)
      return answer
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function listen(child: ChildProcess) {
  let text = ''
  let exited = false
  const waiting = new Set<() => void>()
  const heard = (chunk: Buffer) => {
    text += chunk
    for (const look of waiting) look()
  }
  child.stdout?.on('data', heard)
  child.stderr?.on('data', heard)
  child.on('exit', () => {
    exited = true
    for (const look of waiting) look()
  })
  const expect = (expected: RegExp, from = 0) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const done = () => {
        clearTimeout(timer)
        waiting.delete(look)
      }
      const look = () => {
        const match = expected.exec(text.slice(from))
        if (match) resolve(match)
        else if (exited)
          reject(new Error(`a program ended before it said ${expected}:\n${text.slice(-2_000)}`))
        else return
        done()
      }
      const timer = setTimeout(() => {
        reject(new Error(`a program did not say ${expected} in time:\n${text.slice(-2_000)}`))
        done()
      }, TIMEOUT_MS)
      waiting.add(look)
      look()
    })
  return { text: () => text, expect }
}

const TICK_MS = 10

interface Stat {
  pid: number
  parent: number
  /** CPU time of the process and of its children that have ended. */
  ms: number
}

/** `/proc/PID/stat`: the name in parentheses may hold anything, so fields are counted from its end. */
function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + (fields[field] ?? 0), 0)
    return { pid, parent: fields[1] ?? 0, ms: ticks * TICK_MS }
  } catch {
    return undefined
  }
}

/** CPU milliseconds that these processes and all their descendants have used so far. */
export function cpuMs(roots: number[]): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat !== undefined)
  const children = Map.groupBy(all, ({ parent }) => parent)
  const sum = (pid: number): number =>
    (children.get(pid) ?? []).reduce((total, child) => total + child.ms + sum(child.pid), 0)
  return roots.reduce((total, pid) => total + (readStat(pid)?.ms ?? 0) + sum(pid), 0)
}

/** Resident memory in megabytes. */
export function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}
