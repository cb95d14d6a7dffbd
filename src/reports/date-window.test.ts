import { expect, test } from 'vitest'
import { readInstant, resolveWindow, windowProblems } from './date-window.ts'

const context = {
  reference_timestamp: '2026-03-29T22:00:00.000000+00:00',
  reference_timezone: 'Europe/Berlin',
}

test('placeholders are of the last period that was over at the reference time, in the report’s time zone', () => {
  // 29 March has 23 hours in Berlin
  expect(resolveWindow({ start: 'day_start', end: 'day_end' }, context)).toEqual({
    from: '2026-03-28T23:00:00.000Z',
    to: '2026-03-29T21:59:59.999999Z',
  })
  expect(resolveWindow({ start: 'week_start', end: 'week_end' }, context)).toEqual({
    from: '2026-03-22T23:00:00.000Z',
    to: '2026-03-29T21:59:59.999999Z',
  })
  expect(resolveWindow({ start: 'month_start', end: 'month_end' }, context)).toEqual({
    from: '2026-01-31T23:00:00.000Z',
    to: '2026-02-28T22:59:59.999999Z',
  })
})

test('a report that is made in the middle of a day reports on the day before', () => {
  const noon = { reference_timestamp: '2026-11-22T11:00:00.000000+00:00', reference_timezone: 'Etc/UTC' }
  expect(resolveWindow({ start: 'day_start', end: null }, noon)).toEqual({
    from: '2026-11-21T00:00:00.000Z',
    to: null,
  })
})

test('times without an offset are UTC, and an offset is kept', () => {
  expect(
    ['2026-01-01', '2026-01-01T10:00:00', '2026-01-01T10:00:00.123456', '2026-01-01T10:00:00+02:00'].map(
      readInstant,
    ),
  ).toEqual([
    '2026-01-01T00:00:00Z',
    '2026-01-01T10:00:00Z',
    '2026-01-01T10:00:00.123456Z',
    '2026-01-01T10:00:00+02:00',
  ])
  expect(
    [
      '',
      'now',
      '2026-02-31',
      '0000-01-01',
      '10:00',
      '2026',
      '2026-W01',
      'constructor',
      '2026-01-01T25:00:00Z',
    ].map(readInstant),
  ).not.toContain(expect.any(String))
})

test('a window has a start or an end, and its end is not before its start', () => {
  expect(windowProblems({ start: null, end: null }, '/w')).toEqual({ '/w': expect.any(String) })
  expect(windowProblems({}, '/w')).toEqual({ '/w': expect.any(String) })
  expect(windowProblems({ start: 'day_begin', end: '2026' }, '/w')).toEqual({
    '/w/start': expect.any(String),
    '/w/end': expect.any(String),
  })
  expect(windowProblems({ start: '2026-01-02', end: '2026-01-01' }, '/w')).toEqual({
    '/w/start': expect.any(String),
  })
  expect(windowProblems({ start: 'day_end', end: 'day_start' }, '/w')).toEqual({
    '/w/start': expect.any(String),
  })
  expect(windowProblems({ start: '2026-01-01T01:00:00+02:00', end: '2026-01-01T00:00:00' }, '/w')).toEqual({})
  expect(windowProblems({ start: 'month_start', end: 'day_end' }, '/w')).toEqual({})
  expect(windowProblems({ end: '2026-01-01' }, '/w')).toEqual({})
})
