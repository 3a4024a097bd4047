package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.client.lock.RangeHolder;
import org.weft.client.stripe.hedge.HedgeLimits;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.rpc.Endpoint;

/** Values of the API and what they stand for below it. */
class ApiValuesTest {
  private static final byte[] KEY = {1, 2, (byte) 0xfe};

  private static LockHolder holder(byte[] key) {
    return new LockHolder("host/1/app", 7, key, new ByteRange(0, 10), LockMode.EXCLUSIVE, false);
  }

  private static ClientOptions.Builder options() {
    return ClientOptions.builder(List.of(new Endpoint("host", 1)), "ann", Runnable::run);
  }

  @Test
  void modesAndPatternsHaveTheirNamesBelowTheApi() {
    for (XattrMode mode : XattrMode.values()) {
      assertEquals(mode.name(), mode.toMessage().name());
    }
    for (ReadPattern pattern : ReadPattern.values()) {
      assertEquals(pattern.name(), pattern.expected().name());
    }
  }

  @Test
  void hedgesHaveTheDefaultsAndTheBoundsOfWhatReads() {
    assertEquals(HedgeLimits.defaults(), HedgeOptions.defaults().limits());
    assertEquals(HedgeLimits.off(), HedgeOptions.off().limits());
    assertEquals(new HedgeLimits(true, 1, 20, 100), new HedgeOptions(true, 1, 20, 100).limits());
    assertThrows(IllegalArgumentException.class, () -> new HedgeOptions(true, 0, 20, 10));
    assertThrows(IllegalArgumentException.class, () -> new HedgeOptions(true, 21, 20, 10));
    assertThrows(IllegalArgumentException.class, () -> new HedgeOptions(true, 1, 20, 101));
  }

  @Test
  void aLockHolderKeepsItsOwnCopyOfTheKey() {
    byte[] given = KEY.clone();
    LockHolder holder = holder(given);
    given[0] = 9;
    holder.owner()[1] = 9;
    assertArrayEquals(KEY, holder.owner());
    assertEquals(holder(KEY), holder);
    assertEquals(holder(KEY).hashCode(), holder.hashCode());
    assertNotEquals(holder(new byte[] {1}), holder);
    RangeHolder below =
        new RangeHolder(
            "host/1/app", 7, ByteString.copyFrom(KEY), new ByteRange(0, 10), true, false);
    assertEquals(holder, LockHolder.of(below));
    assertEquals(below.toString(), holder.toString());
  }

  @Test
  void anOwnerOfLocksIsItsKeyAndItsKind() {
    assertEquals(LockOwner.process(KEY), LockOwner.process(KEY.clone()));
    assertNotEquals(LockOwner.process(KEY), LockOwner.openFile(KEY));
    assertArrayEquals(KEY, LockOwner.process(KEY).key());
    assertThrows(IllegalArgumentException.class, () -> LockOwner.process(new byte[0]));
    assertThrows(IllegalArgumentException.class, () -> LockOwner.openFile(new byte[65]));
  }

  @Test
  void optionsSayNothingOfTheJoinToken() {
    ClientOptions options = options().joinToken(new byte[] {42, 43}).build();
    assertEquals(
        "ClientOptions[sysmgrs=[host:1], user=ann, clientName=client]", options.toString());
    assertArrayEquals(new byte[] {42, 43}, options.settings().joinToken().orElseThrow());
  }

  @Test
  void streamsAreAsTheOptionsSay() {
    ClientOptions options =
        options()
            .writeWindowBytes(2 << 20)
            .readAheadBytes(3 << 20)
            .requestTimeoutMillis(7_000)
            .hedges(HedgeOptions.off())
            .build();
    assertEquals(2 << 20, options.settings().stripes().windowBytes());
    assertEquals(3 << 20, options.settings().stripes().readAheadBytes());
    assertEquals(7_000, options.settings().stripes().writeDeadlineMillis());
    assertEquals(HedgeLimits.off(), options.settings().stripes().hedges());
  }
}
