import { expect, test } from 'vitest'
import { addService } from '../../support/shop.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile, long } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { shop } = desk
const second = await addService(desk.railyard, shop, { display_name: 'Second card' })

const cards = '/flows/card-transaction/rules'
const live = async () => (await shop.get(cards)).body.items
const draft = async () => (await shop.get(`${cards}?state=draft`)).body.items
const publish = async (...items: unknown[]) => {
  expect(await shop.put(cards, { items })).toMatchObject({ status: 200 })
  const { status, body } = await shop.post(`${cards}/publish`)
  expect(status).toBe(200)
  return body.version as number
}
const always = { all: [] }
const toSecond = { attempts: [{ payment_service_id: second }] }
const route = (display_name: string, condition: unknown = always) => ({
  display_name,
  action: 'route-transaction',
  condition,
  outcome: toSecond,
})
const decline = (display_name: string, condition: unknown = always) => ({
  display_name,
  action: 'decline-early',
  condition,
  outcome: { error_code: 'flow_decline' },
})

test('a person writes a rule without JSON, replays it, publishes it, and the next payment is decided by it', async () => {
  const past = await shop.authorized(600_00)
  await shop.authorized(5_00)
  const page = await desk.open('routing')
  await see(page, 'No rule is live')
  await page.getByRole('link', { name: 'Add a rule' }).click()
  await page.getByRole('button', { name: 'Save in the draft' }).click()
  await see(page, 'Enter a name')
  await page.getByLabel('Name', { exact: true }).fill('Large payments')
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByLabel('Value', { exact: true }).fill('five')
  await page.getByRole('button', { name: 'Save in the draft' }).click()
  await see(page, 'Enter an amount such as 12.50')
  await page.getByLabel('Value', { exact: true }).fill('500')
  await page.getByRole('button', { name: 'Add a group' }).click()
  await page.getByLabel('Field').nth(1).selectOption('scheme')
  await page.getByLabel('Comparison').nth(1).selectOption('in')
  await page.getByRole('button', { name: /^Values:/ }).click()
  await page.getByLabel('visa').check()
  await page.getByLabel('Payment services').selectOption('split')
  await page.getByLabel('Percent').first().fill('95')
  await see(page, 'They must sum to 100 %')
  await page.getByLabel('Percent').first().fill('90')
  await page.getByLabel('Payment service 1').first().selectOption('Second card')
  await page.getByLabel('Payment service 1').nth(1).selectOption('Second card')
  await page.getByRole('button', { name: 'Save in the draft' }).dblclick()
  await see(page, 'The draft is not live')
  expect(await draft()).toMatchObject([
    {
      display_name: 'Large payments',
      action: 'route-transaction',
      condition: {
        all: [
          { field: 'amount', operator: 'gt', value: 50_000, currency: 'EUR' },
          { any: [{ field: 'scheme', operator: 'in', value: ['visa'] }] },
        ],
      },
      outcome: {
        split: [
          { percent: 90, ...toSecond },
          { percent: 10, ...toSecond },
        ],
      },
    },
  ])
  expect((await shop.get(cards)).status).toBe(404)

  await page.getByRole('link', { name: 'Replay over past payments' }).click()
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await see(page.getByRole('table', { name: 'Asked first' }), 'Second card')
  await see(page.getByRole('table', { name: 'Examples' }), 'Second card')
  await page.getByLabel('Id of the payment').fill(past.id)
  await page.getByRole('button', { name: 'Test' }).click()
  await see(page, 'Another service first')

  await page.goto(desk.url('routing'))
  await page.getByRole('button', { name: 'Publish' }).click()
  await page
    .getByRole('dialog')
    .getByText(/Amount is more than €500.00/)
    .waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).dblclick()
  await page.getByText('The draft is not live').waitFor({ state: 'detached' })
  expect(await live()).toMatchObject([{ display_name: 'Large payments' }])
  const payment = await shop.authorized(700_00)
  expect(await payment.read()).toMatchObject({ payment_service: { display_name: 'Second card' } })
})

test('a person reorders, turns off and deletes rules in a draft, and discards it', async () => {
  await publish(
    decline('One', { field: 'country', operator: 'is', value: 'FR' }),
    route('Two'),
    route('Three'),
  )
  const page = await desk.open('routing')
  const rules = () => page.locator('[data-rule] h2').allTextContents()
  await page.getByRole('button', { name: 'Move Three up' }).press('Enter')
  await see(page, 'Three is number 2 now')
  expect(await rules()).toEqual(['One', 'Three', 'Two'])
  // the keyboard stays where it was, so that the rule can be moved again
  await see(page, 'The draft is not live')
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Move Three up')
  await page.locator('[data-rule]').nth(2).dragTo(page.locator('[data-rule]').first())
  await see(page, 'Two is number 1 now')
  expect((await draft()).map(({ display_name }: { display_name: string }) => display_name)).toEqual([
    'Two',
    'One',
    'Three',
  ])
  await page.getByRole('button', { name: 'Turn off One' }).click()
  await see(page, 'Turned off')
  await page.getByRole('button', { name: 'Delete Three' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await see(page, 'Removed')
  await page.getByRole('link', { name: 'Live' }).click()
  await page.locator('[data-rule]').nth(2).waitFor()
  expect(await rules()).toEqual(['One', 'Two', 'Three'])
  await page.getByRole('button', { name: 'Discard the draft' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard the draft' }).click()
  await page.getByText('The draft is not live').waitFor({ state: 'detached' })
  expect((await shop.get(`${cards}?state=draft`)).status).toBe(404)
})

test('a person edits a rule, sees what the server refuses at its place, and what the change is', async () => {
  await publish(
    route('Old name', {
      not: {
        any: [
          { field: 'metadata.shop', operator: 'contains', value: 'toys' },
          {
            field: 'time_of_day',
            operator: 'between',
            value: { from: '22:00', to: '06:00', time_zone: 'UTC' },
          },
        ],
      },
    }),
  )
  const page = await desk.open('routing')
  await see(page, 'none of these is true')
  await page.getByRole('link', { name: 'Edit Old name' }).click()
  await page.getByLabel('Name', { exact: true }).fill('New name')
  expect(await page.getByLabel('Key of the metadata').inputValue()).toBe('shop')
  await page.getByLabel('What it does').selectOption('decline-early')
  await page.getByLabel('Error code').fill('too_much')
  await page.getByRole('button', { name: 'Save in the draft' }).click()
  await page.getByRole('alert').first().waitFor()
  await page.getByLabel('Error code').fill('flow_too_much')
  await page.getByRole('button', { name: 'Save in the draft' }).click()
  const changes = page.locator('section').filter({ hasText: 'What would change' })
  await see(changes, 'Decline at once with flow_too_much')
  expect(await changes.getByText('Old name').count()).toBe(1)
  expect(await draft()).toMatchObject([
    {
      display_name: 'New name',
      condition: { not: { any: [{ field: 'metadata.shop' }, { value: { time_zone: 'UTC' } }] } },
      outcome: { error_code: 'flow_too_much' },
    },
  ])
})

test('a time in a rule is shown and typed in the zone that the person has chosen, and saved in UTC', async () => {
  const after = (value: string) => ({ field: 'created_at', operator: 'after', value })
  await publish(route('From March on', after('2026-03-01T00:30:15.250Z')))
  const page = await desk.open('routing', { browser: { timezoneId: 'Asia/Tokyo' } })
  const save = async () => {
    await page.getByRole('button', { name: 'Save in the draft' }).click()
    await see(page, 'The draft is not live')
  }
  await page.getByRole('link', { name: 'Edit From March on' }).click()
  await see(page, 'In the time zone Asia/Tokyo.')
  expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('2026-03-01T09:30:15')
  await page.getByLabel('Name', { exact: true }).fill('From March')
  await save()
  expect(await draft()).toMatchObject([
    { display_name: 'From March', condition: after('2026-03-01T00:30:15.250Z') },
  ])
  await page.getByRole('link', { name: 'Edit From March' }).click()
  await page.getByLabel('Value', { exact: true }).fill('2026-03-01T10:00')
  await save()
  expect(await draft()).toMatchObject([{ condition: after('2026-03-01T01:00:00.000Z') }])
})

test('a person goes back to an earlier version, as a draft and at once', async () => {
  const first = await publish(route('The first'))
  await publish(route('The second'))
  const page = await desk.open('routing?flow=card-transaction&view=versions')
  await page.getByRole('link', { name: `Version ${first}`, exact: true }).click()
  await see(page, 'Compared with what is live')
  await page.getByRole('button', { name: 'Edit as a draft' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Edit as a draft' }).click()
  await see(page, 'The draft is not live')
  expect(await draft()).toMatchObject([{ display_name: 'The first' }])
  await page.goto(desk.url(`routing/card-transaction/versions/${first}`))
  await page.getByRole('button', { name: 'Make live again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make live again' }).click()
  await see(page, 'These rules are live again')
  expect(await live()).toMatchObject([{ display_name: 'The first' }])
})

test('a person chooses the payment options of the checkout', async () => {
  const page = await desk.open('routing/checkout/rules/new')
  await page.getByLabel('Name', { exact: true }).fill('Cards and iDEAL')
  await page.getByRole('button', { name: 'Add a payment method' }).click()
  await page.getByRole('button', { name: 'Add a payment method' }).click()
  await page.getByLabel('Payment method 2', { exact: true }).selectOption('ideal')
  await page.getByRole('button', { name: 'Move Payment method 2 up' }).click()
  await page.getByRole('button', { name: /^What card forms ask for/ }).click()
  await page.getByLabel('Postal code').check()
  await page.getByRole('button', { name: 'Save in the draft' }).click()
  await see(page, 'Offer only, in this order: ideal, card')
  expect((await shop.get('/flows/checkout/rules?state=draft')).body.items).toMatchObject([
    { outcome: { methods: ['ideal', 'card'], required_fields: { address: { postal_code: true } } } },
  ])
})

test('someone else published meanwhile: the person is told, and nothing is published twice', async () => {
  await publish(route('Mine'))
  await shop.post(cards, route('Added'))
  const page = await desk.open('routing')
  await page.getByRole('button', { name: 'Publish' }).click()
  await shop.post(`${cards}/publish`)
  await shop.post(cards, route('Not seen yet'))
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  expect((await live()).map(({ display_name }: { display_name: string }) => display_name)).toEqual([
    'Mine',
    'Added',
  ])
})

test('system support sees rules, and changes nothing; customer support does not see them', async () => {
  await publish(route('Seen'))
  const page = await desk.open('routing', { roles: ['system-support'] })
  await page.getByRole('heading', { name: 'Seen' }).waitFor()
  expect(await page.getByRole('button', { name: /^(Move|Turn off|Delete|Publish|Discard)/ }).count()).toBe(0)
  expect(await page.getByRole('link', { name: /^(Edit|Add a rule)/ }).count()).toBe(0)
  await page.goto(desk.url('routing/card-transaction/rules/new'))
  await see(page, 'Your role does not open this page')
  for (const role of ['customer-support', 'analyst']) {
    const other = await desk.open('routing', { roles: [role] })
    await see(other, 'Your role does not open this page')
    expect(await other.getByRole('link', { name: 'Routing' }).count()).toBe(0)
  }
})

test('hostile text is shown as text', async () => {
  await publish(
    route(`${hostile} ${long.slice(0, 90)}`, {
      any: [
        always,
        { field: `metadata.${hostile}`, operator: 'is', value: hostile },
        { field: 'buyer_external_identifier', operator: 'in', value: [hostile, long] },
      ],
    }),
  )
  const page = await desk.open('routing')
  await expectShownAsText(page)
  await page.getByRole('link', { name: /^Edit/ }).click()
  await page.getByLabel('Key of the metadata').waitFor()
  expect(await page.getByLabel('Key of the metadata').inputValue()).toContain('<script>')
  await page.goto(desk.url('routing/card-transaction/replay?rules=live'))
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByRole('table', { name: 'Decisions of each rule' }).waitFor()
  await expectShownAsText(page)
})

test('the pages of routing have no barriers', async () => {
  const version = await publish(
    route('Large payments', {
      all: [
        { field: 'amount', operator: 'gte', value: 50_000, currency: 'EUR' },
        {
          any: [
            { field: 'scheme', operator: 'in', value: ['visa', 'mastercard'] },
            { not: { field: 'country', operator: 'is', value: 'US' } },
          ],
        },
      ],
    }),
    decline('Night', {
      field: 'time_of_day',
      operator: 'between',
      value: { from: '22:00', to: '06:00', time_zone: 'Europe/Berlin' },
    }),
  )
  await shop.post(cards, {
    display_name: 'A tenth to the second',
    action: 'route-transaction',
    condition: { field: 'currency', operator: 'is', value: 'USD' },
    outcome: {
      split: [
        {
          percent: 90,
          attempts: [{ payment_service_id: shop.paymentServiceId }, { payment_service_id: second }],
        },
        { percent: 10, attempts: [{ payment_service_id: second, instrument: 'network_token' }] },
      ],
      retries: { on: ['issuer_decline'], maximum: 1 },
    },
  })
  const page = await desk.open('routing')
  await see(page, 'What would change')
  expect(await barriers(page, 'dashboard-routing')).toEqual([])
  await page.getByRole('button', { name: 'Publish' }).click()
  expect(await barriers(page, 'dashboard-routing-publish')).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Edit A tenth to the second' }).click()
  await page.getByRole('button', { name: 'Add a group' }).click()
  expect(await barriers(page, 'dashboard-routing-rule')).toEqual([])
  await page.goto(desk.url('routing?flow=card-transaction&view=versions'))
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-routing-versions')).toEqual([])
  await page.goto(desk.url(`routing/card-transaction/versions/${version}`))
  await page.locator('[data-rule]').first().waitFor()
  expect(await barriers(page, 'dashboard-routing-version')).toEqual([])
  await page.goto(desk.url('routing/card-transaction/replay?rules=draft'))
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByRole('table', { name: 'Asked first' }).waitFor()
  expect(await barriers(page, 'dashboard-routing-replay')).toEqual([])
})
