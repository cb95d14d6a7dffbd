import { prepareFields } from './card-fields.js'
import { holdCard } from './card-holder.js'
import {
  applyStyle,
  connectPage,
  groupFrameName,
  isMessage,
  readConfig,
  reportHeight,
  shortText,
  siblingFrame,
} from './frame.js'
import { passTokens } from './provider-token.js'

const config = readConfig()

/** All fields in one frame, so that the browser can fill in a whole card. */
function startCard() {
  const tellPage = connectPage(config, (message) => {
    hearAppearance(message, fields)
    holder.hearPage(message)
  })
  const fields = prepareFields(
    config,
    {
      value: (name, text) => holder.set(name, text),
      focus: (name, isFocused) => holder.focus(name, isFocused),
    },
    tellPage,
  )
  const holder = holdCard(config, (message) => fields.hear(message), tellPage)
  reportHeight(tellPage)
  // a browser may have kept what was typed before a reload
  for (const input of document.querySelectorAll('input')) input.value = ''
}

/**
 * One field of several frames. Its value goes to the coordinator, a frame of the same origin beside it, through a
 * channel that the page never has.
 */
function startField() {
  const { port1, port2 } = new MessageChannel()
  const tellPage = connectPage(config, (message) => hearAppearance(message, fields))
  const fields = prepareFields(
    config,
    {
      value: (field, text) => port1.postMessage({ field, text }),
      focus: (field, isFocused) => port1.postMessage({ field, isFocused }),
    },
    tellPage,
  )
  port1.onmessage = ({ data }) => fields.hear(data)
  const coordinator = siblingFrame(groupFrameName())
  coordinator?.postMessage({ railyard: 'join' }, location.origin, [port2])
  reportHeight(tellPage)
}

/** The hidden frame that holds the card of several fields. */
function startCoordinator() {
  /** @type {MessagePort[]} */
  const ports = []
  const tellPage = connectPage(config, (message) => holder.hearPage(message))
  const holder = holdCard(
    config,
    (message) => {
      for (const port of ports) port.postMessage(message)
    },
    tellPage,
  )
  addEventListener('message', ({ origin, data, ports: [port] }) => {
    if (origin !== location.origin || !isMessage(data) || data['railyard'] !== 'join' || !port) return
    ports.push(port)
    port.onmessage = ({ data: value }) => {
      if (!isMessage(value)) return
      if ('isFocused' in value) holder.focus(value['field'], value['isFocused'])
      else holder.set(value['field'], value['text'])
    }
    holder.tellScheme()
  })
}

/** @param {Record<string, unknown>} message @param {ReturnType<typeof prepareFields>} fields */
function hearAppearance(message, fields) {
  if (message['kind'] === 'style') applyStyle(message['style'])
  else if (message['kind'] === 'focus') fields.focus(shortText(message['field'], 20))
}

/** The page shows the fields of a provider: this frame puts the provider's tokens into the session. */
function startProvider() {
  const tellPage = connectPage(config, (message) => passer.hearPage(message))
  const passer = passTokens(config, tellPage)
}

/** @type {Record<string, () => void>} */
const starts = {
  card: startCard,
  field: startField,
  coordinator: startCoordinator,
  provider: startProvider,
}
starts[config.view]?.()
