import { expect, test } from 'vitest'
import { readSettings } from '../../settings.ts'
import { databaseName, hostUrls, takeOutPassword } from './hosts.ts'

const several = 'postgres://shop:p%40ss%3Aword@one.example:5432,[::1]:5433,two/railyard?sslmode=verify-full'

test('a URL with several hosts is one URL for each', () => {
  expect(hostUrls(several)).toEqual([
    'postgres://shop:p%40ss%3Aword@one.example:5432/railyard?sslmode=verify-full',
    'postgres://shop:p%40ss%3Aword@[::1]:5433/railyard?sslmode=verify-full',
    'postgres://shop:p%40ss%3Aword@two/railyard?sslmode=verify-full',
  ])
  expect(hostUrls('postgres://one/railyard')).toEqual(['postgres://one/railyard'])
})

test('the password is taken out of a URL, and the name that the terminal shows has neither it nor the user', () => {
  expect(takeOutPassword(several)).toEqual({
    url: 'postgres://shop@one.example:5432,[::1]:5433,two/railyard?sslmode=verify-full',
    password: 'p@ss:word',
  })
  expect(takeOutPassword('postgres://one/railyard?user=u&password=p%26s&sslmode=require')).toEqual({
    url: 'postgres://one/railyard?user=u&sslmode=require',
    password: 'p&s',
  })
  expect(takeOutPassword('postgres://one/railyard')).toEqual({ url: 'postgres://one/railyard', password: '' })
  expect(databaseName(several)).toBe('one.example:5432,[::1]:5433,two/railyard')
})

test.each([
  ['postgres://one,two/railyard?target_session_attrs=standby', /target_session_attrs=read-write/],
  ['postgres://one:99999,two/railyard', /a URL with a number as its port/],
  ['https://one,two/railyard', /a URL that starts with postgres:/],
])('DATABASE_URL=%s is refused', (databaseUrl, reason) => {
  expect(() => readSettings({ DATABASE_URL: databaseUrl })).toThrow(reason)
})
