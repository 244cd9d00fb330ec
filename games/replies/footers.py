"""Lines that phones and mail programs put below what people write, such as "Sent from my phone"."""

from __future__ import annotations

import re

LONGEST = 100  # characters of such a line; longer ones are someone's own words

# What such a line begins with, by language. In the last row are languages that end with it.
_SENT = (
    r"(?:this (?:e-?mail|message) was )?sent (?:from|with|via|using|on)|composed on",
    r"gesendet|von meinem|diese nachricht wurde|versendet|verschickt",
    r"envoyé|expédié|enviado|enviada|enviat|inviat[oa]|trimis|bidalita",
    r"verzonden|verstuurd|gestuurd|skickat|sendt|sent frå|sendur",
    r"wysłan[eoay]|odesláno|odoslan[éeá]|posláno|poslan[eo]|poslato|küldve|elküldve|lähetetty|saadetud",
    r"nosūtīts|išsiųsta|isisiųsta|στάλθηκε|εστάλη|απεστάλη",
    r"отправлен[оа]|посла[нт]о|надіслан[оае]|відправлено|изпратен[оа]|испратено|адпраўлена",
    r"dikirim|dihantar|đã gửi|được gửi|gửi từ|ส่งจาก|发自|發自|寄自|從我的|从我的|来自|來自",
    r"נשלח|أُ?رسلت?|تم الإرسال|ارسال شده|فرستاده شده|भेजा गया",
)
_SENT_LAST = (
    r"gesendet|versendet|verschickt|gönderildi|lähetetty|küldve|から送信|で送信|より送信|送信しました"
    r"|에서 보냄|에서 보냈습니다|로 보냄|传送|傳送|发送|發送|ارسال شده|से भेजा गया|verzonden|bidalia"
)
_DEVICE = (
    r"iphon|ipad|\bios\b|android|galaxy|samsung|huawei|xiaomi|redmi|oneplus|pixel|motorola|nokia|sony|xperia"
    r"|blackberry|windows|outlook|yahoo|proton|gmail|gmx|web\.de|t-online|thunderbird|fairmail|k-9|aol|mail"
    r"|e-?mail|posta|pošta|poczt|почт|пошт|phone|telefon|telefoon|teléfono|telèfon|téléphone|telefone|puhelim"
    r"|mobil|móvil|mòbil|celular|cellulare|handy|komór|smartfon|telephon|tablet|телефон|мобил|мобіл|смартфон"
    r"|планшет|κινητό|τηλέφωνο|טלפון|נייד|هاتف|جوال|گوشی|携帯|スマ|手机|手機|휴대"
    r"|điện thoại|โทรศัพท์|ponsel|फ़ोन"
)
_FOOTER = re.compile(
    rf"\W{{0,3}}(?:(?:{'|'.join(_SENT)}).{{0,60}}(?:{_DEVICE})|.{{0,60}}(?:{_DEVICE}).{{0,40}}(?:{_SENT_LAST})\W*$)",
    re.IGNORECASE,
)
_OUTLOOK = re.compile(r"outlook.{0,40}\b(?:ios|android)|(?:ios|android).{0,20}outlook", re.IGNORECASE)
_LONGEST_OF_OUTLOOK = 60  # "Get Outlook for iOS", in many languages; without the link that follows


def is_footer(line: str) -> bool:
    """Return whether a phone or a mail program put this line below a message."""
    if len(line) > LONGEST:
        return False
    words = line.partition("<")[0].strip()
    is_of_outlook = len(words) <= _LONGEST_OF_OUTLOOK and _OUTLOOK.search(words) is not None
    return is_of_outlook or _FOOTER.match(line) is not None
