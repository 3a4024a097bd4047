package org.weft.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.epoll.Epoll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What the launcher's class path brings besides Java. */
class NativeSocketsTest {
  @Test
  @EnabledOnOs(
      value = OS.LINUX,
      architectures = {"amd64", "aarch64"})
  void daemonsUseEpoll() {
    assertTrue(Epoll.isAvailable(), () -> "not there: " + Epoll.unavailabilityCause());
  }
}
