package org.weft.osd.command.request;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.protobuf.ByteString;
import java.util.Arrays;
import java.util.concurrent.Executor;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Ticker;

/**
 * Secrets of capabilities that signed a request here before, so that the hot path costs the one
 * HMAC over the frame. Only what proved genuine enters: forged capabilities push nothing out. An
 * entry counts only under the working key that made it. Thread-safe.
 */
final class VerifiedCapabilities {
  private static final long MAX_ENTRIES = 16_384;

  /** A decoded capability and its secret under one working key. */
  record Entry(Capability capability, byte[] workingKey, byte[] secret) {}

  private final Cache<ByteString, Entry> entries;

  VerifiedCapabilities(Ticker ticker, Executor upkeep) {
    entries =
        Caffeine.newBuilder()
            .maximumSize(MAX_ENTRIES)
            .ticker(ticker::nowNanos)
            .executor(upkeep)
            .build();
  }

  /** What was remembered of these bytes, or null. */
  Entry remembered(ByteString encoded, byte[] workingKey) {
    Entry entry = entries.getIfPresent(encoded);
    return entry != null && Arrays.equals(entry.workingKey(), workingKey) ? entry : null;
  }

  static Entry derive(ByteString encoded, byte[] workingKey) throws WeftException {
    Capability capability = Capability.decode(encoded.asReadOnlyByteBuffer());
    return new Entry(capability, workingKey, Hmac.sha256(workingKey, encoded.toByteArray()));
  }

  /** Call only after the secret proved right. The bytes are copied: they may belong to a frame. */
  void remember(ByteString encoded, Entry entry) {
    entries.put(ByteString.copyFrom(encoded.asReadOnlyByteBuffer()), entry);
  }
}
