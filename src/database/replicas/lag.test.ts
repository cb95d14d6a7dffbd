import { expect, test } from 'vitest'
import { bytesBefore, followLag } from './lag.ts'

const mark = 'a history'

test('positions are compared by the bytes before them, whatever the length of their text', () => {
  const positions = ['0/0', '0/9', '0/A0', '0/FFFFFFFF', '1/0', 'A/1', '10/0', 'FFFFFFFF/FFFFFFFF']
  const bytes = positions.map(bytesBefore)
  expect(bytes).toEqual([...bytes].sort((one, other) => (one < other ? -1 : 1)))
  expect(bytesBefore('1/A0')).toBe(2n ** 32n + 160n)
})

test('the lag is the age of the oldest position that is not replayed, and what is missing in bytes', () => {
  const lag = followLag()
  expect(lag.lagAt(0)).toEqual({ seconds: 0, bytes: 0 })
  lag.primaryAt({ lsn: '0/100', mark }, 1_000)
  lag.primaryAt({ lsn: '0/200', mark }, 2_000)
  expect(lag.lagAt(4_000)).toEqual({ seconds: 3, bytes: 512 })
  lag.replayed('0/100')
  expect(lag.lagAt(4_000)).toEqual({ seconds: 2, bytes: 256 })
  lag.replayed('0/1FF')
  expect(lag.lagAt(4_000)).toEqual({ seconds: 2, bytes: 1 })
  lag.replayed('0/300')
  expect(lag.lagAt(4_000)).toEqual({ seconds: 0, bytes: 0 })
})

test('a replica that stands still for days costs a bounded list, and its lag stays exact', () => {
  const lag = followLag()
  const DAYS = 400_000
  for (let at = 0; at < DAYS; at++) lag.primaryAt({ lsn: `0/${(at + 1).toString(16)}`, mark }, at * 500)
  expect(lag.lagAt(DAYS * 500)).toEqual({ seconds: DAYS / 2, bytes: DAYS })
  lag.replayed(`0/${DAYS.toString(16)}`)
  expect(lag.lagAt(DAYS * 500)).toEqual({ seconds: 0, bytes: 0 })
})

test('a replica of a primary that was put back to a snapshot is not behind positions of the history before', () => {
  const lag = followLag()
  lag.primaryAt({ lsn: '0/900', mark }, 1_000)
  lag.primaryAt({ lsn: '0/100', mark: 'the history of the snapshot' }, 2_000)
  lag.replayed('0/100')
  expect(lag.lagAt(9_000)).toEqual({ seconds: 0, bytes: 0 })
})
