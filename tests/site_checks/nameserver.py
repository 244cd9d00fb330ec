"""A DNS server by UDP that answers from a dictionary."""

import socket
import threading

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

Records = dict[tuple[str, str], list[str]]  # (name, kind) -> texts


class NameServer:
    """Answers until it's closed; `is_silent` drops what comes."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self.is_silent = False
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            packet, sender = self._socket.recvfrom(4096)
            if not packet:
                return
            if not self.is_silent:
                self._socket.sendto(self._answer(dns.message.from_wire(packet)).to_wire(), sender)

    def _answer(self, asked: dns.message.Message) -> dns.message.Message:
        answer = dns.message.make_response(asked)
        answer.flags |= dns.flags.RA | dns.flags.AA
        [question] = asked.question
        name = question.name.to_text(omit_final_dot=True).lower()
        kind = dns.rdatatype.to_text(question.rdtype)
        texts = self.records.get((name, kind), [])
        if texts:
            answer.answer.append(dns.rrset.from_text_list(question.name, 60, "IN", kind, texts))
        elif not any(known == name for known, _kind in self.records):
            answer.set_rcode(dns.rcode.NXDOMAIN)
        return answer
