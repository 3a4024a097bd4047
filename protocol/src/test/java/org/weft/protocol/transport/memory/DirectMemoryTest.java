package org.weft.protocol.transport.memory;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DirectMemoryTest {
  @Test
  void freeDirectMemoryIsMeasured() {
    long leftBytes = DirectMemory.leftBytes();
    assertTrue(leftBytes > 0 && leftBytes <= Runtime.getRuntime().maxMemory(), "" + leftBytes);
  }
}
