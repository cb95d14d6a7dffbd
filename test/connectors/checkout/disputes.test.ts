import { expect, test } from 'vitest'
import type { EvidenceSubmission } from '../../../src/connectors/contract/connector.ts'
import { openBench } from './harness.ts'

const file = (subject: string, more: { type?: string; content?: Buffer } = {}) => ({
  subject,
  name: 'proof.pdf',
  type: 'application/pdf',
  content: Buffer.from('%PDF'),
  ...more,
})

const submission = (more: Partial<EvidenceSubmission>): EvidenceSubmission => ({
  key: 'k',
  dispute: 'dsp_1',
  text: {},
  files: [],
  ...more,
})

function disputedBench() {
  const bench = openBench()
  bench.fake.disputes.set('dsp_1', { evidence: {}, submitted: false, accepted: false })
  return bench
}

test('evidence is collected and submitted: text, a file, and several files', async () => {
  const bench = disputedBench()
  const answer = await bench.connector.disputes?.submitEvidence(
    bench.call({}),
    submission({
      text: { invoice_or_receipt: 'Invoice 7' },
      files: [file('invoice_or_receipt'), file('arbitration_no_review'), file('arbitration_no_review')],
    }),
  )
  expect(answer).toEqual({ status: 'done' })
  expect(bench.fake.disputes.get('dsp_1')).toEqual({
    evidence: {
      invoice_or_receipt_text: 'Invoice 7',
      invoice_or_receipt_file: expect.stringMatching(/^file_/),
      arbitration_no_review_files: [expect.stringMatching(/^file_/), expect.stringMatching(/^file_/)],
    },
    submitted: true,
    accepted: false,
  })
})

test('a dispute can be accepted, and an unknown one cannot', async () => {
  const bench = disputedBench()
  const { disputes } = bench.connector
  expect(await disputes?.accept(bench.call({}), { key: 'k', id: 'dsp_1' })).toEqual({ status: 'done' })
  expect(bench.fake.disputes.get('dsp_1')?.accepted).toBe(true)
  expect(await disputes?.accept(bench.call({}), { key: 'k', id: 'dsp_2' })).toMatchObject({
    status: 'refused',
  })
})

test.each([0, 1, 2])('evidence whose answer %d is lost is not known to be submitted', async (step) => {
  const bench = disputedBench()
  bench.faults.push(...Array.from({ length: step }, () => undefined), 'lost after')
  const evidence = submission({ files: [file('additional_evidence')] })
  expect(await bench.connector.disputes?.submitEvidence(bench.call({}), evidence)).toMatchObject({
    status: 'unknown',
  })
  // it is harmless to send it again
  expect(await bench.connector.disputes?.submitEvidence(bench.call({}), evidence)).toEqual({ status: 'done' })
})

test.each([
  submission({}),
  submission({ text: { weather: 'sunny' } }),
  submission({ files: [file('weather')] }),
  submission({ files: [file('invoice_or_receipt'), file('invoice_or_receipt')] }),
  submission({ files: [file('invoice_or_receipt', { type: 'image/tiff' })] }),
  submission({ files: [file('invoice_or_receipt', { content: Buffer.alloc(4 * 1024 * 1024 + 1) })] }),
])('evidence that Checkout.com does not take is refused before a request (%#)', async (evidence) => {
  const bench = disputedBench()
  expect(await bench.connector.disputes?.submitEvidence(bench.call({}), evidence)).toMatchObject({
    status: 'refused',
  })
  expect(bench.fake.requests).toEqual([])
})
