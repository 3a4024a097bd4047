package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.client.stripe.TcpOsds;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.UnitPool;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.testkit.process.Await;

/**
 * Many threads write one file, components answer on others, and the grant is replaced meanwhile.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ManyThreadsWriteTest {
  private static final int THREADS = 4;
  private static final int ORDERS = 400 * Integer.getInteger("weft.times", 1);

  private final TcpOsds cluster = new TcpOsds(5);
  private final AtomicInteger released = new AtomicInteger();
  private final AtomicInteger sentAfterRelease = new AtomicInteger();
  private final AtomicLong grants = new AtomicLong();
  private FileWriteService service;

  @BeforeEach
  void start() {
    StripeContext context =
        new StripeContext(
            cluster.environment,
            cluster.connections,
            cluster.cpu,
            StripeOptions.defaults(),
            new UnitPool(1 << 20, ByteBuffer::allocate),
            false);
    service =
        new FileWriteService(
            context,
            new CompletionNotifier(context),
            nextTerms(),
            0,
            (under, lost, completeUpTo) -> answer(this::nextTerms),
            FailureListener.NONE);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private WriteTerms nextTerms() {
    long grant = Lsn.of(1, grants.incrementAndGet()).value();
    ObjectName name = ObjectName.of(7, 70_000);
    StorageMap map = StorageMap.of(new Layout(4, 1, 16 << 10, 50, 1), cluster.first(5));
    return new WriteTerms(
        new StripedFile(name, map, cluster.capability(name, grant, grant)),
        new StripeGrant(grant, 4, Optional.empty()));
  }

  private <T> CompletableFuture<T> answer(Supplier<T> answer) {
    return CompletableFuture.supplyAsync(answer);
  }

  private ComponentOrder order(SplittableRandom random) {
    int first = random.nextInt(4);
    return new ComponentOrder() {
      private volatile boolean isReleased;

      @Override
      public List<Integer> participants() {
        return List.of(first, first + 1);
      }

      @Override
      public int seqCount() {
        return 1;
      }

      @Override
      public CompletableFuture<?> attempt(Try attempt) {
        if (isReleased) {
          sentAfterRelease.incrementAndGet();
        }
        return answer(() -> null);
      }

      @Override
      public void release() {
        isReleased = true;
        released.incrementAndGet();
      }
    };
  }

  @Test
  void everyOrderIsCompleteAndItsMemoryGivenBackOnce() throws Exception {
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      SplittableRandom random = new SplittableRandom(thread);
      writers.add(CompletableFuture.runAsync(() -> write(random)));
    }
    for (CompletableFuture<Void> writer : writers) {
      writer.get(50, TimeUnit.SECONDS);
    }
    assertNull(service.failure());
    // A call's own end may come after that of its order.
    Await.that(() -> released.get() >= THREADS * ORDERS);
    assertEquals(THREADS * ORDERS, released.get());
    assertEquals(0, sentAfterRelease.get());
  }

  private void write(SplittableRandom random) {
    List<CompletableFuture<Void>> open = new ArrayList<>();
    for (int i = 0; i < ORDERS; i++) {
      open.add(service.submit(order(random)));
      if (random.nextInt(50) == 0) {
        service.renew(service.terms(), new WeftException(ErrorCode.FENCED, "ended"));
      }
      if (open.size() == 8) {
        open.remove(random.nextInt(8)).join();
      }
    }
    open.forEach(CompletableFuture::join);
  }
}
