import { expect, test } from 'vitest'
import { createCipher } from '../base/cipher.ts'
import { isNotificationToken, notificationUrl } from './notification-url.ts'

const world = { cipher: createCipher(Buffer.alloc(32, 1)), publicUrl: 'https://pay.example' }

test('the token of a notification URL opens that service of that account only', () => {
  const url = notificationUrl(world, 'default', 'service-1')
  const token = url.slice(url.lastIndexOf('/') + 1)
  expect(url).toBe(`https://pay.example/notifications/default/service-1/${token}`)
  expect(isNotificationToken(world, 'default', 'service-1', token)).toBe(true)
  expect(isNotificationToken(world, 'default', 'service-2', token)).toBe(false)
  expect(isNotificationToken(world, 'other', 'service-1', token)).toBe(false)
  expect(isNotificationToken(world, 'default', 'service-1', '')).toBe(false)
})
