import * as declinedIn from '../../../checkout/decline-words.ts'
import type { Words } from './words.ts'

export const nl: Words = {
  lang: 'nl',
  sandbox: 'Testomgeving: er gaat geen geld om.',
  payTitle: (merchant) => `Betaling aan ${merchant}`,
  order: 'Uw bestelling',
  quantity: (count) => `Aantal: ${count}`,
  total: 'Totaal',
  payWith: 'Hoe wilt u betalen?',
  redirectHint: (method) => `U gaat naar ${method} om de betaling goed te keuren en komt daarna hier terug.`,
  storedCard: { ending: 'eindigend op', expires: (date) => `Verloopt ${date}` },
  otherCard: 'Een andere kaart',
  name: { label: 'Naam op de kaart', missing: 'Vul de naam in zoals die op de kaart staat.' },
  keepsCard: (merchant) => `Uw kaart wordt veilig bewaard voor uw volgende betalingen aan ${merchant}.`,
  pay: (amount) => `${amount} betalen`,
  reserves: (merchant) => `Het bedrag wordt nu gereserveerd. ${merchant} schrijft het later af.`,
  confirm: 'Bevestigen',
  goOn: (method) => `Verder met ${method}`,
  paying: 'Bezig met betalen…',
  private: (merchant) => `Uw kaartgegevens worden versleuteld en ${merchant} ziet ze nooit.`,
  acceptTerms: (merchant) => `Door te betalen gaat u akkoord met de voorwaarden van ${merchant}`,
  newTab: '(opent een nieuw tabblad)',
  noScript:
    'Uw kaartgegevens gaan rechtstreeks van uw browser naar het betaalsysteem, dat JavaScript nodig heeft. Schakel het in en laad deze pagina opnieuw.',
  declined: { title: 'De betaling is niet uitgevoerd', ...declinedIn.nl },
  troubles: {
    tooMany: 'Dat waren te veel pogingen. Wacht een minuut en probeer het opnieuw.',
    offline: 'Er is geen verbinding. Controleer die van u; deze pagina kijkt vanzelf of u hebt betaald.',
    failed: 'Er is hier iets misgegaan en er is niets afgeschreven. Probeer het opnieuw.',
  },
  processing: {
    title: 'Uw betaling wordt verwerkt',
    text: 'Deze pagina gaat vanzelf verder. Betaal alstublieft niet nog een keer.',
  },
  approval: {
    title: 'U bent begonnen met betalen',
    text: 'Uw betaling wacht op uw goedkeuring. Ga verder waar u was of kies een andere betaalwijze.',
    goOn: 'Verdergaan',
    otherWay: 'Op een andere manier betalen',
  },
  completed: {
    title: 'Dank u wel',
    paid: (amount, merchant) => `U hebt ${amount} betaald aan ${merchant}.`,
    booking: (amount, merchant) =>
      `Uw betaling van ${amount} aan ${merchant} is geaccepteerd en wordt afgerond.`,
    reserved: (amount, merchant) =>
      `${amount} is gereserveerd voor ${merchant}. Er is nog niets afgeschreven.`,
    kept: (merchant) => `${merchant} kan uw kaart vanaf nu belasten. Er is nog niets afgeschreven.`,
    checked: 'Uw kaart is gecontroleerd. Er is niets afgeschreven.',
    noLongerKept: (merchant) =>
      `Uw betaling aan ${merchant} is voltooid. De gegevens ervan worden hier niet meer getoond.`,
  },
  receipt: {
    title: 'Betalingsgegevens',
    reference: 'Referentie',
    time: 'Datum en tijd',
    amount: 'Bedrag',
    method: 'Betaalmiddel',
    print: 'Afdrukken',
  },
  released: {
    title: 'De betaling is geannuleerd',
    text: (amount, merchant) => `${merchant} heeft de ${amount} vrijgegeven. Er is niets afgeschreven.`,
  },
  expired: {
    title: 'Deze betaallink is verlopen',
    text: (merchant) => `Er is niets afgeschreven. Vraag ${merchant} om een nieuwe link.`,
  },
  exhausted: {
    title: 'Deze link accepteert geen betalingen meer',
    text: (merchant) =>
      `Er zijn hier te veel betalingen geweigerd. Er is niets afgeschreven. Vraag ${merchant} om een nieuwe link.`,
  },
  unavailable: {
    title: 'U kunt hier nu niet betalen',
    text: (merchant) =>
      `Er is niets afgeschreven. Probeer het later opnieuw of vraag ${merchant} hoe u kunt betalen.`,
  },
  unknown: {
    title: 'Deze betaallink bestaat niet',
    text: 'Misschien is de link onvolledig. Open hem opnieuw vanaf de plek waar u hem hebt ontvangen.',
  },
  failed: {
    title: 'Deze pagina werkt nu niet',
    text: 'Laad haar over een ogenblik opnieuw. Er wordt niets twee keer betaald.',
  },
  backTo: (merchant) => `Terug naar ${merchant}`,
}
