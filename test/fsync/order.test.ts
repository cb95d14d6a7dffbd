import { expect, test } from 'vitest'
import { holdOrder } from './order.ts'
import { readSyscalls } from './syscalls.ts'

const id = '01a20244-774e-70f8-a558-75fc5129a42a'
const operation = '01a20244-774e-70f8-a558-75fc5129a42b'
const segment = '7</data/pg_wal/000000010000000000000001>'
// the first segment begins at 16 MiB
const settledAt = 16 * 1024 * 1024 + 8_000

const wrote = `10 pwrite64(${segment}, "\\1\\2", 8192, 0) = 8192`
const synced = `10 fdatasync(${segment}) = 0`
const asked = `20 write(21<socket:[1]>, "POST /payments HTTP/1.1\\r\\nidempotency-key: ${operation}\\r\\n", 99) = 99`
const answered = `20 writev(22<socket:[2]>, [{iov_base="HTTP/1.1 201 Created\\r\\n\\r\\n", iov_len=9}, {iov_base="{\\"type\\":\\"transaction\\",\\"id\\":\\"${id}\\"}", iov_len=9}], 2) = 18`

const findingsOf = (...lines: string[]) =>
  holdOrder(readSyscalls(lines.join('\n')), new Map([[700, settledAt]]), [
    { payment: id, operation, kind: 'authorize', intended: '700', settled: '700' },
  ]).findings

test('a message after the fsync of its commit is in order, and one before it is a finding', () => {
  expect(findingsOf(wrote, synced, asked, answered)).toEqual([])
  expect(findingsOf(wrote, asked, synced, answered)).toEqual([
    expect.stringContaining('the request to the payment service left before'),
  ])
  expect(findingsOf(wrote, asked, answered, synced)).toHaveLength(2)
  expect(findingsOf(wrote, asked, answered)).toHaveLength(2)
})

test('an fsync counts from its end, for the bytes written before its beginning, in its own file', () => {
  const [begun, ended] = [`10 fdatasync(${segment} <unfinished ...>`, '10 <... fdatasync resumed>) = 0']
  expect(findingsOf(wrote, begun, ended, asked, answered)).toEqual([])
  expect(findingsOf(wrote, begun, asked, answered, ended)).toHaveLength(2)
  expect(findingsOf(begun, wrote, ended, asked, answered)).toHaveLength(2)
  expect(findingsOf(wrote, '10 fdatasync(8</data/base/5/1259>) = 0', asked, answered)).toHaveLength(2)
  expect(
    findingsOf(wrote, `10 fdatasync(${segment}) = -1 EIO (Input/output error)`, asked, answered),
  ).toHaveLength(2)
})

test('a commit is on the disk when everything before it is', () => {
  const [half, rest] = [
    `10 pwrite64(${segment}, "", 4096, 0) = 4096`,
    `10 pwrite64(${segment}, "", 4096, 4096) = 4096`,
  ]
  expect(findingsOf(half, synced, rest, asked, answered)).toHaveLength(2)
  expect(findingsOf(half, rest, synced, asked, answered)).toEqual([])
})

test('an answer missing from the trace is a finding', () => {
  expect(findingsOf(wrote, synced, asked)).toEqual([`authorize of ${id}: its answer was not seen to leave`])
})

test('an answer whose call had not ended when the trace ended left when the call began', () => {
  const leaving = answered.replace(/ = 18$/, ' <detached ...>').replace(/\) <detached/, ' <detached')
  expect(findingsOf(wrote, synced, asked, leaving)).toEqual([])
  expect(findingsOf(wrote, asked, leaving, synced)).toHaveLength(2)
})
