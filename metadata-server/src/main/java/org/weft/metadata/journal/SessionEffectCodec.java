package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.util.Optional;
import org.weft.metadata.journal.LiveEffect.OfSessions;
import org.weft.metadata.journal.LiveEffect.Reply;
import org.weft.metadata.journal.LiveEffect.SessionClosed;
import org.weft.metadata.journal.LiveEffect.SessionOpened;
import org.weft.protocol.capability.SessionSecret;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.ReplyEffect;
import org.weft.protocol.wire.SessionClosedEffect;
import org.weft.protocol.wire.SessionOpenedEffect;

/** Between effects on sessions and what they were answered, and their messages. */
final class SessionEffectCodec {
  private SessionEffectCodec() {}

  static void add(EffectMessage.Builder message, OfSessions effect) {
    if (effect instanceof SessionOpened opened) {
      message.setSessionOpened(toMessage(opened));
    } else if (effect instanceof SessionClosed closed) {
      message.setSessionClosed(
          SessionClosedEffect.newBuilder().setSessionId(closed.session().value()));
    } else if (effect instanceof Reply reply) {
      message.setReply(toMessage(reply));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  private static SessionOpenedEffect toMessage(SessionOpened opened) {
    return SessionOpenedEffect.newBuilder()
        .setSessionId(opened.session().value())
        .setUser(opened.user())
        .addAllGroups(opened.groups())
        .setClientName(opened.clientName())
        .setNonce(opened.nonce())
        .setSlots(opened.slots())
        .setOpenedMillis(opened.openedMillis())
        .setSecret(
            opened
                .secret()
                .map(secret -> ByteString.copyFrom(secret.bytes()))
                .orElse(ByteString.EMPTY))
        .setKeepLocksMillis(opened.keeping().map(LockKeeping::millis).orElse(0))
        .setKeepLocksKey(opened.keeping().map(LockKeeping::key).orElse(ByteString.EMPTY))
        .setCachesReads(opened.cachesReads())
        .setTrusted(opened.trusted())
        .setFollowsCuts(opened.followsCuts())
        .build();
  }

  private static ReplyEffect toMessage(Reply reply) {
    ReplyEffect.Builder message =
        ReplyEffect.newBuilder()
            .setSessionId(reply.session().value())
            .setSlot(reply.slot())
            .setSequence(reply.sequence())
            .setBytes(reply.bytes());
    reply
        .repeat()
        .ifPresent(
            key ->
                message
                    .getRepeatBuilder()
                    .setClient(key.client())
                    .setNumber(key.number())
                    .setChecksum(key.checksum())
                    .setDigest(key.digest()));
    return message.build();
  }

  static LiveEffect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case SESSION_OPENED -> fromMessage(message.getSessionOpened());
      case SESSION_CLOSED ->
          new SessionClosed(new SessionId(message.getSessionClosed().getSessionId()));
      case REPLY -> fromMessage(message.getReply());
      default -> throw new IllegalArgumentException("not of this codec: " + message);
    };
  }

  private static SessionOpened fromMessage(SessionOpenedEffect opened) {
    return new SessionOpened(
        new SessionId(opened.getSessionId()),
        opened.getUser(),
        opened.getGroupsList(),
        opened.getClientName(),
        opened.getNonce(),
        opened.getSlots(),
        opened.getOpenedMillis(),
        opened.getSecret().isEmpty()
            ? Optional.empty()
            : Optional.of(SessionSecret.of(opened.getSecret().toByteArray())),
        LockEffectCodec.keeping(opened.getKeepLocksMillis(), opened.getKeepLocksKey()),
        opened.getCachesReads(),
        opened.getTrusted(),
        opened.getFollowsCuts());
  }

  private static Reply fromMessage(ReplyEffect reply) {
    return new Reply(
        new SessionId(reply.getSessionId()),
        reply.getSlot(),
        reply.getSequence(),
        reply.getBytes(),
        reply.hasRepeat()
            ? Optional.of(
                new RepeatKey(
                    reply.getRepeat().getClient(),
                    reply.getRepeat().getNumber(),
                    reply.getRepeat().getChecksum(),
                    reply.getRepeat().getDigest()))
            : Optional.empty());
  }
}
