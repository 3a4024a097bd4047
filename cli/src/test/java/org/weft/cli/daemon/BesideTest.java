package org.weft.cli.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.protocol.retry.Backoff;
import org.weft.testkit.process.Await;

class BesideTest {
  private static final long SECONDS = 60;
  private static final Backoff SOON = Backoff.exact(1_000_000, 30_000_000);

  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  private AutoCloseable guest() {
    started.countDown();
    return ended::countDown;
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertTrue(latch.await(SECONDS, TimeUnit.SECONDS));
  }

  @Test
  void failedStartIsRetriedAndNamed() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    CountDownLatch looked = new CountDownLatch(1);
    Beside<AutoCloseable> beside =
        new Beside<>(
            "the guest",
            () -> {
              switch (tries.incrementAndGet()) {
                case 1 -> throw new IOException("its port is taken");
                case 2 -> throw new IllegalStateException("a mistake of its own");
                case 3 -> throw new NoClassDefFoundError("a jar is gone");
                default -> looked.await();
              }
              return guest();
            },
            SOON.begin(new Random(1)));
    assertEquals(List.of("the guest in this process has not started yet"), beside.problems());
    beside.begin();
    Await.that(() -> beside.failedStarts() == 3);
    assertEquals(
        List.of("the guest in this process does not run: a jar is gone"), beside.problems());
    assertEquals(List.of(), beside.running());
    looked.countDown();
    await(started);
    Await.that(() -> !beside.running().isEmpty());
    assertEquals(List.of(), beside.problems());
    beside.close();
    await(ended);
  }

  @Test
  void failedEndDoesNotKeepTheDaemonAlive() throws Exception {
    Beside<AutoCloseable> beside =
        new Beside<>(
            "the guest",
            () -> {
              started.countDown();
              return () -> {
                ended.countDown();
                throw new IllegalStateException("a mistake of its own");
              };
            },
            SOON.begin(new Random(1)));
    beside.begin();
    await(started);
    beside.close();
    await(ended);
  }

  @Test
  void aStartThatHangsIsInterruptedByTheEnd() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    Beside<AutoCloseable> beside =
        new Beside<>(
            "the guest",
            () -> {
              started.countDown();
              try {
                never.await();
              } catch (InterruptedException e) {
                ended.countDown();
                throw e;
              }
              return guest();
            },
            SOON.begin(new Random(1)));
    beside.begin();
    await(started);
    beside.close();
    await(ended);
    assertEquals(List.of(), beside.running());
    assertEquals(List.of(), beside.problems(), "it was to end");
  }

  @Test
  void unstartedCompanionEndsAtOnce() {
    Beside<AutoCloseable> beside =
        new Beside<>("the guest", this::guest, SOON.begin(new Random(1)));
    beside.close();
    assertEquals(1, started.getCount());
  }

  @Test
  void memoryThatTheManagerNeedsIsNotTheGateways() {
    GatewayBeside.requireMemory(112L << 20, 384L << 20);
    assertThrows(ConfigException.class, () -> GatewayBeside.requireMemory(128L << 20, 384L << 20));
    ConfigException refused =
        assertThrows(
            ConfigException.class, () -> GatewayBeside.requireMemory(256L << 20, 256L << 20));
    assertTrue(refused.getMessage().contains("nfs.memory"), refused.getMessage());
    assertTrue(refused.getMessage().contains("-XX:MaxDirectMemorySize=865m"), refused.getMessage());
  }

  @Test
  void aThirdOfTheHeapIsTheGateways() {
    WeftConf alone = WeftConf.defaults();
    assertEquals(900, GatewayBeside.heapOfManager(alone, 900));
    assertEquals(600, GatewayBeside.heapOfManager(alone.with(ConfigKey.MANAGER_NFS, "true"), 900));
  }
}
