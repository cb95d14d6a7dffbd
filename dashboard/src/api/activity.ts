/** After this long without a key, a click or a touch, what the page asks is no person's doing. */
const QUIET_MS = 60_000

let lastActive = Date.now()
for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'])
  addEventListener(event, () => (lastActive = Date.now()), { passive: true, capture: true })

/** Whether the person does nothing at the page now: its requests must not keep the session from ending. */
export const isPersonAway = (): boolean => Date.now() - lastActive > QUIET_MS

/** The header by which the server knows such a request. */
export const backgroundHeader = { 'x-background-request': 'true' }
