import { expect, test } from 'vitest'
import { multipartBody } from './multipart.ts'

test('a multipart body is read by another implementation, with a hostile file name', async () => {
  const { type, bytes } = multipartBody([
    { name: 'purpose', content: 'dispute_evidence' },
    {
      name: 'file',
      content: Buffer.from([0, 13, 10, 255]),
      file: { name: 'a"b\r\nX-Evil: 1.pdf', type: 'application/pdf\r\nX-Evil: 1' },
    },
  ])
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  expect(form.get('purpose')).toBe('dispute_evidence')
  const file = form.get('file')
  if (!(file instanceof File)) throw new Error('there is no file')
  expect(Buffer.from(await file.arrayBuffer())).toEqual(Buffer.from([0, 13, 10, 255]))
  expect(file.name).toContain('X-Evil')
})
