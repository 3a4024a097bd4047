package org.weft.protocol.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

class OwnLimitsTest {
  private static WeftException within(Throwable cause) {
    return new WeftException(
        ErrorCode.UNAVAILABLE,
        "OSD 3 cannot be reached",
        new WeftException(ErrorCode.CONNECTION_LOST, "connection lost", cause));
  }

  @Test
  void wantOfMemoryThreadsAndDescriptorsIsThisProcesssOwn() {
    for (Throwable cause :
        new Throwable[] {
          new OutOfMemoryError("Java heap space"),
          new OutOfMemoryError("unable to create native thread"),
          new IOException("newSocketStream(..) failed: Too many open files"),
          new IOException("writevAddresses(..) failed: Cannot allocate memory")
        }) {
      assertTrue(OwnLimits.caused(within(cause)), cause::toString);
      assertTrue(OwnLimits.caused(new CompletionException(within(cause))));
      assertTrue(OwnLimits.inWords(within(cause)).startsWith("this process"));
      assertTrue(OwnLimits.inWords(within(cause)).endsWith(cause.getMessage()));
    }
    assertEquals(
        "this process has no direct memory left (raise -XX:MaxDirectMemorySize): failed to"
            + " allocate 8 byte(s) of direct memory",
        OwnLimits.inWords(new OutOfMemoryError("failed to allocate 8 byte(s) of direct memory")));
  }

  @Test
  void aPeersFailureIsNotThisProcessesOwn() {
    assertFalse(OwnLimits.caused(null));
    assertFalse(OwnLimits.caused(within(new IOException("connection refused"))));
    WeftException said = new WeftException(ErrorCode.INTERNAL, "OSD 3: Too many open files");
    assertFalse(OwnLimits.caused(said));
    assertThrows(IllegalArgumentException.class, () -> OwnLimits.inWords(said));
  }
}
