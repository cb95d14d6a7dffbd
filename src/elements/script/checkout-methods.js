/**
 * A way to pay in the list.
 * @typedef {object} Choice
 * @property {'card' | 'stored' | 'redirect'} kind
 * @property {string} method The name that the page learns.
 * @property {string} label
 * @property {string} hint
 * @property {string} [id] Of a stored payment method.
 */

/** @param {string} text @param {Record<string, string>} values */
export const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')

/**
 * The ways to pay of the API's answers: stored methods first, then cards, then the methods that send the buyer
 * to a page of their own, which need a country.
 * @param {any[]} options
 * @param {any[]} stored
 * @param {import('./frame.js').CheckoutConfig} config
 * @param {boolean} hasCountry
 * @returns {Choice[]}
 */
export function choicesOf(options, stored, { words, schemeNames, takesCards }, hasCountry) {
  const ofStored = stored.map(
    ({ id, label, scheme, method, expiration_date }) =>
      /** @type {Choice} */ ({
        kind: 'stored',
        method: 'stored',
        id,
        label: scheme
          ? filled(words.stored.ending, { scheme: schemeNames[scheme] ?? scheme, digits: label ?? '' })
          : (label ?? method),
        hint: expiration_date ? filled(words.stored.expires, { date: expiration_date }) : '',
      }),
  )
  const ofOptions = options
    .filter((option) => (isCard(option) && takesCards) || (option.mode === 'redirect' && hasCountry))
    .map(
      (option) =>
        /** @type {Choice} */ ({
          kind: isCard(option) ? 'card' : 'redirect',
          method: option.method,
          label: option.label ?? option.method,
          hint: isCard(option) ? '' : filled(words.redirectHint, { method: option.label ?? option.method }),
        }),
    )
  return [...ofStored, ...ofOptions]
}

/** A card that is entered here. @param {any} option */
export const isCard = (option) => option.method === 'card' && option.mode === 'card'

/**
 * The list of the ways to pay: one radio button each, with its hint, and the card form beside that of a new card.
 * @param {() => void} changed
 */
export function methodList(changed) {
  const list = part('methods')
  const card = part('card')
  /** @type {{ choice: Choice, row: HTMLElement, input: HTMLInputElement }[]} */
  let rows = []
  let shown = ''

  const update = () => {
    for (const { choice, row, input } of rows) {
      row.classList.toggle('chosen', input.checked)
      if (choice.kind === 'card') card.hidden = !input.checked
    }
  }

  return {
    /** Keeps what is chosen, typed and focused. @param {readonly Choice[]} choices */
    show(choices) {
      const text = JSON.stringify(choices)
      if (text === shown) return
      shown = text
      const focused = document.activeElement
      const before = rows.find(({ input }) => input.checked)?.choice
      const kept = choices.findIndex(({ method, id }) => method === before?.method && id === before.id)
      list.after(card)
      for (const { row } of rows) row.remove()
      card.hidden = true
      rows = choices.map((choice, index) => {
        const input = element('input', { type: 'radio', name: 'method', id: `method-${index}` })
        const row = element('div', { className: 'method' })
        row.append(input, element('label', { htmlFor: input.id, textContent: choice.label }))
        if (choice.hint) {
          row.append(element('p', { id: `hint-${index}`, className: 'hint', textContent: choice.hint }))
          input.setAttribute('aria-describedby', `hint-${index}`)
        }
        if (choice.kind === 'card') row.append(card)
        input.checked = index === Math.max(kept, 0)
        input.addEventListener('change', () => {
          update()
          changed()
        })
        list.append(row)
        return { choice, row, input }
      })
      list.hidden = rows.length === 0
      update()
      if (focused instanceof HTMLInputElement) focused.focus()
    },
    chosen: () => rows.find(({ input }) => input.checked)?.choice,
    focus: () => (rows.find(({ input }) => input.checked) ?? rows[0])?.input.focus(),
    /** @param {boolean} isLocked */
    lock(isLocked) {
      for (const { input } of rows) input.disabled = isLocked
    },
  }
}

/** @template {keyof HTMLElementTagNameMap} Name @param {Name} name @param {Partial<HTMLElementTagNameMap[Name]>} properties @returns {HTMLElementTagNameMap[Name]} */
export const element = (name, properties) => Object.assign(document.createElement(name), properties)

/** A part of the document, which the server has put there. @param {string} id */
export function part(id) {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the document has no ${id}`)
  return found
}

/** Shows a text in a part of the document, or hides the part. @param {string} id @param {string} text */
export function tell(id, text) {
  const line = part(id)
  line.textContent = text
  line.hidden = text === ''
}
