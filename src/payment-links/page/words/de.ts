import * as declinedIn from '../../../checkout/decline-words.ts'
import type { Words } from './words.ts'

export const de: Words = {
  lang: 'de',
  sandbox: 'Testumgebung: Es fließt kein Geld.',
  payTitle: (merchant) => `Zahlung an ${merchant}`,
  order: 'Ihre Bestellung',
  quantity: (count) => `Menge: ${count}`,
  total: 'Summe',
  payWith: 'Wie möchten Sie zahlen?',
  redirectHint: (method) => `Sie geben die Zahlung bei ${method} frei und kehren danach hierher zurück.`,
  storedCard: { ending: 'endet auf', expires: (date) => `Gültig bis ${date}` },
  otherCard: 'Andere Karte',
  name: { label: 'Name auf der Karte', missing: 'Geben Sie den Namen so ein, wie er auf der Karte steht.' },
  keepsCard: (merchant) => `Ihre Karte wird für Ihre nächsten Zahlungen an ${merchant} sicher gespeichert.`,
  pay: (amount) => `${amount} zahlen`,
  reserves: (merchant) => `Der Betrag wird jetzt reserviert. ${merchant} bucht ihn später ab.`,
  confirm: 'Bestätigen',
  goOn: (method) => `Weiter mit ${method}`,
  paying: 'Zahlung läuft…',
  private: (merchant) => `Ihre Kartendaten werden verschlüsselt, und ${merchant} sieht sie nie.`,
  acceptTerms: (merchant) => `Mit der Zahlung akzeptieren Sie die Geschäftsbedingungen von ${merchant}`,
  newTab: '(öffnet einen neuen Tab)',
  noScript:
    'Ihre Kartendaten gehen von Ihrem Browser direkt an das Zahlungssystem. Dafür wird JavaScript benötigt. Schalten Sie es ein und laden Sie diese Seite neu.',
  declined: { title: 'Die Zahlung wurde nicht ausgeführt', ...declinedIn.de },
  troubles: {
    tooMany: 'Das waren zu viele Versuche. Warten Sie eine Minute und versuchen Sie es noch einmal.',
    offline:
      'Es besteht keine Verbindung. Prüfen Sie Ihre Verbindung; diese Seite stellt von selbst fest, ob Sie gezahlt haben.',
    failed: 'Hier ist etwas schiefgegangen, und es wurde nichts abgebucht. Versuchen Sie es noch einmal.',
  },
  processing: {
    title: 'Ihre Zahlung wird bearbeitet',
    text: 'Diese Seite geht von selbst weiter. Bitte zahlen Sie nicht noch einmal.',
  },
  approval: {
    title: 'Sie haben eine Zahlung begonnen',
    text: 'Ihre Zahlung wartet auf Ihre Freigabe. Machen Sie dort weiter, wo Sie waren, oder wählen Sie eine andere Zahlungsart.',
    goOn: 'Weitermachen',
    otherWay: 'Auf andere Weise zahlen',
  },
  completed: {
    title: 'Vielen Dank',
    paid: (amount, merchant) => `Sie haben ${amount} an ${merchant} gezahlt.`,
    booking: (amount, merchant) =>
      `Ihre Zahlung von ${amount} an ${merchant} wurde angenommen und wird gerade abgeschlossen.`,
    reserved: (amount, merchant) =>
      `${amount} sind für ${merchant} reserviert. Es wurde noch nichts abgebucht.`,
    kept: (merchant) => `${merchant} kann Ihre Karte von jetzt an belasten. Es wurde noch nichts abgebucht.`,
    checked: 'Ihre Karte wurde geprüft. Es wurde nichts abgebucht.',
    noLongerKept: (merchant) =>
      `Ihre Zahlung an ${merchant} ist abgeschlossen. Ihre Einzelheiten werden hier nicht mehr angezeigt.`,
  },
  receipt: {
    title: 'Angaben zur Zahlung',
    reference: 'Referenz',
    time: 'Zeit',
    amount: 'Betrag',
    method: 'Zahlungsmittel',
    print: 'Drucken',
  },
  released: {
    title: 'Die Zahlung wurde storniert',
    text: (amount, merchant) => `${merchant} hat die ${amount} freigegeben. Es wurde nichts abgebucht.`,
  },
  expired: {
    title: 'Dieser Zahlungslink ist abgelaufen',
    text: (merchant) => `Es wurde nichts abgebucht. Bitten Sie ${merchant} um einen neuen Link.`,
  },
  exhausted: {
    title: 'Dieser Link nimmt keine Zahlungen mehr an',
    text: (merchant) =>
      `Hier wurden zu viele Zahlungen abgelehnt. Es wurde nichts abgebucht. Bitten Sie ${merchant} um einen neuen Link.`,
  },
  unavailable: {
    title: 'Hier kann gerade nicht gezahlt werden',
    text: (merchant) =>
      `Es wurde nichts abgebucht. Versuchen Sie es später noch einmal, oder fragen Sie ${merchant}, wie Sie zahlen können.`,
  },
  unknown: {
    title: 'Diesen Zahlungslink gibt es nicht',
    text: 'Vielleicht ist der Link unvollständig. Öffnen Sie ihn noch einmal dort, wo Sie ihn erhalten haben.',
  },
  failed: {
    title: 'Diese Seite funktioniert gerade nicht',
    text: 'Laden Sie sie gleich noch einmal. Nichts wird doppelt bezahlt.',
  },
  backTo: (merchant) => `Zurück zu ${merchant}`,
}
