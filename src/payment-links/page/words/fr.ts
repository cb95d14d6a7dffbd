import * as declinedIn from '../../../checkout/decline-words.ts'
import type { Words } from './words.ts'

export const fr: Words = {
  lang: 'fr',
  sandbox: 'Environnement de test : aucun argent ne circule.',
  payTitle: (merchant) => `Paiement à ${merchant}`,
  order: 'Votre commande',
  quantity: (count) => `Quantité : ${count}`,
  total: 'Total',
  payWith: 'Comment souhaitez-vous payer ?',
  redirectHint: (method) => `Vous passez sur ${method} pour approuver le paiement, puis vous revenez ici.`,
  storedCard: { ending: 'se terminant par', expires: (date) => `Expire le ${date}` },
  otherCard: 'Une autre carte',
  name: { label: 'Nom sur la carte', missing: 'Saisissez le nom tel qu’il figure sur la carte.' },
  keepsCard: (merchant) =>
    `Votre carte est enregistrée en toute sécurité pour vos prochains paiements à ${merchant}.`,
  pay: (amount) => `Payer ${amount}`,
  reserves: (merchant) => `Le montant est réservé maintenant. ${merchant} le débitera plus tard.`,
  confirm: 'Confirmer',
  goOn: (method) => `Continuer avec ${method}`,
  paying: 'Paiement en cours…',
  private: (merchant) => `Les données de votre carte sont chiffrées et ${merchant} ne les voit jamais.`,
  acceptTerms: (merchant) => `En payant, vous acceptez les conditions générales de ${merchant}`,
  newTab: '(s’ouvre dans un nouvel onglet)',
  noScript:
    'Les données de votre carte vont directement de votre navigateur au système de paiement, qui a besoin de JavaScript. Activez-le et rechargez cette page.',
  declined: { title: 'Le paiement n’a pas été effectué', ...declinedIn.fr },
  troubles: {
    tooMany: 'Il y a eu trop de tentatives. Attendez une minute et réessayez.',
    offline:
      'Il n’y a pas de connexion. Vérifiez la vôtre ; cette page détecte d’elle-même si vous avez payé.',
    failed: 'Une erreur s’est produite ici et rien n’a été débité. Réessayez.',
  },
  processing: {
    title: 'Votre paiement est en cours de traitement',
    text: 'Cette page avance d’elle-même. Merci de ne pas payer une seconde fois.',
  },
  approval: {
    title: 'Vous avez commencé à payer',
    text: 'Votre paiement attend votre approbation. Reprenez là où vous étiez ou choisissez un autre moyen de paiement.',
    goOn: 'Reprendre',
    otherWay: 'Payer autrement',
  },
  completed: {
    title: 'Merci',
    paid: (amount, merchant) => `Vous avez payé ${amount} à ${merchant}.`,
    booking: (amount, merchant) =>
      `Votre paiement de ${amount} à ${merchant} a été accepté et est en cours de finalisation.`,
    reserved: (amount, merchant) =>
      `Le montant de ${amount} est réservé pour ${merchant}. Rien n’a encore été débité.`,
    kept: (merchant) => `${merchant} peut désormais débiter votre carte. Rien n’a encore été débité.`,
    checked: 'Votre carte a été vérifiée. Rien n’a été débité.',
    noLongerKept: (merchant) =>
      `Votre paiement à ${merchant} est terminé. Ses détails ne sont plus affichés ici.`,
  },
  receipt: {
    title: 'Détails du paiement',
    reference: 'Référence',
    time: 'Date et heure',
    amount: 'Montant',
    method: 'Moyen de paiement',
    print: 'Imprimer',
  },
  released: {
    title: 'Le paiement a été annulé',
    text: (amount, merchant) => `${merchant} a libéré le montant de ${amount}. Rien n’a été débité.`,
  },
  expired: {
    title: 'Ce lien de paiement a expiré',
    text: (merchant) => `Rien n’a été débité. Demandez un nouveau lien à ${merchant}.`,
  },
  exhausted: {
    title: 'Ce lien n’accepte plus de paiements',
    text: (merchant) =>
      `Trop de paiements ont été refusés ici. Rien n’a été débité. Demandez un nouveau lien à ${merchant}.`,
  },
  unavailable: {
    title: 'Il n’est pas possible de payer ici pour l’instant',
    text: (merchant) => `Rien n’a été débité. Réessayez plus tard ou demandez à ${merchant} comment payer.`,
  },
  unknown: {
    title: 'Ce lien de paiement n’existe pas',
    text: 'Le lien est peut-être incomplet. Ouvrez-le de nouveau depuis le message où vous l’avez reçu.',
  },
  failed: {
    title: 'Cette page ne fonctionne pas pour l’instant',
    text: 'Rechargez-la dans un instant. Rien n’est payé deux fois.',
  },
  backTo: (merchant) => `Retour à ${merchant}`,
}
