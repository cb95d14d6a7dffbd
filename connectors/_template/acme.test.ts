import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf } from './declines.ts'
import { readNotification, signatureOf } from './notification.ts'

// What the suite cannot know: Acme's own codes and signatures. `railyard connector check .` runs the suite.

test('every code of Acme is in the table, and a new one is a decline', () => {
  assert.deepEqual(refusalOf('funds'), { status: 'declined', code: 'insufficient_funds' })
  assert.deepEqual(refusalOf('wrong_state'), { status: 'failed', code: 'unexpected_state' })
  assert.deepEqual(refusalOf('added_next_year'), { status: 'declined', code: 'other_decline' })
})

test('a signature agrees with the example in Acme’s documentation', () => {
  assert.equal(
    signatureOf('acme_example_secret', '{"id":"evt_1","reference":"r-1"}'),
    '87904c0fdd41057bf25b080a4312fc12ee436367eda75baae638f8cc6dff0b5a',
  )
})

test('a notification with a wrong signature is forged', async () => {
  const text = '{"id":"evt_1","reference":"r-1"}'
  const fields = { webhook_secret: 'acme_example_secret' }
  const service = { id: 's-1', fields, notificationUrl: 'https://railyard.example/n' }
  const http = () => Promise.reject(new Error('a signature needs no request'))
  const read = (signature: string) =>
    readNotification(
      { http, service },
      { headers: { 'acme-signature': signature }, text, body: JSON.parse(text) },
    )
  assert.deepEqual(await read(signatureOf('acme_example_secret', text)), {
    about: 'operation',
    operation: 'r-1',
  })
  assert.deepEqual(await read('0'.repeat(64)), { about: 'forged' })
})
