package org.weft.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Transport;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/**
 * A process in a simulated world, which can be killed between any two of its steps: no task of it
 * runs after that, its connections end, and what it had written to files stays, as {@code kill -9}
 * leaves it.
 */
final class SimProcess {
  private static final long LONGEST_SYNC_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private final SplittableRandom disk;
  private final VirtualTime time;
  private final VirtualWire wire;
  private final Environment environment;
  private final List<AutoCloseable> open = new ArrayList<>();
  private boolean alive = true;

  SimProcess(VirtualTime time, VirtualWire wire, long seed) {
    this.disk = new SplittableRandom(seed);
    this.time = time;
    this.wire = wire;
    this.environment =
        new Environment(
            time,
            time,
            new MortalScheduler(),
            new SplittableRandom(seed),
            new MortalTransport(),
            () -> "boot");
  }

  Environment environment() {
    return environment;
  }

  void kill() {
    alive = false;
    for (AutoCloseable each : open) {
      try {
        each.close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
    open.clear();
  }

  private Runnable ifAlive(Runnable task) {
    return () -> {
      if (alive) {
        task.run();
      }
    };
  }

  private final class MortalScheduler implements Scheduler {
    @Override
    public Timer schedule(long delayNanos, Executor executor, Runnable task) {
      return time.schedule(delayNanos, executor, ifAlive(task));
    }

    @Override
    public OwnedExecutor newSerialExecutor(String name) {
      OwnedExecutor executor = mortal(time.newSerialExecutor(name));
      return name.startsWith("journal-") ? slow(executor) : executor;
    }

    /** A disk that now and then takes its time, so that much happens before a record is durable. */
    private OwnedExecutor slow(OwnedExecutor inner) {
      return new OwnedExecutor() {
        @Override
        public void execute(Runnable command) {
          boolean hiccup = disk.nextInt(2) == 0;
          time.after(hiccup ? disk.nextLong(LONGEST_SYNC_NANOS) : 0, () -> inner.execute(command));
        }

        @Override
        public void close() {
          inner.close();
        }
      };
    }

    @Override
    public OwnedExecutor newPool(String name, int threads, int queueLimit) {
      return mortal(time.newPool(name, threads, queueLimit));
    }

    private OwnedExecutor mortal(OwnedExecutor inner) {
      return new OwnedExecutor() {
        @Override
        public void execute(Runnable command) {
          if (alive) {
            inner.execute(ifAlive(command));
          }
        }

        @Override
        public void close() {
          inner.close();
        }
      };
    }
  }

  private final class MortalTransport implements Transport {
    @Override
    public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
      if (!alive) {
        return CompletableFuture.failedFuture(
            new RpcException(ErrorCode.CANCELLED, "the process is dead"));
      }
      return wire.connect(remote, options)
          .thenApply(
              connection -> {
                if (alive) {
                  open.add(connection);
                } else {
                  connection.close();
                }
                return connection;
              });
    }

    @Override
    public CompletionStage<RpcListener> listen(
        Endpoint local, ListenOptions options, RpcService service) {
      return wire.listen(local, options, service)
          .thenApply(
              listener -> {
                open.add(listener);
                return listener;
              });
    }

    @Override
    public void close() {
      kill();
    }
  }
}
