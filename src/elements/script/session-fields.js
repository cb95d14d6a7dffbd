/**
 * Puts what the buyer entered into a checkout session. Answers the code of an error, or nothing.
 * @param {string} api
 * @param {string} session
 * @param {object} fields
 * @returns {Promise<string | undefined>}
 */
export async function putFields(api, session, fields) {
  const answer = await fetch(`${api}/checkout/sessions/${session}/fields`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  }).catch(() => undefined)
  if (!answer) return 'offline'
  if (answer.ok) return undefined
  if (answer.status === 404) return 'session_expired'
  if (answer.status === 429) return 'too_many_requests'
  return answer.status < 500 ? 'refused' : 'failed'
}

/** @param {unknown} value @returns {value is string} */
export const isSessionId = (value) =>
  typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
