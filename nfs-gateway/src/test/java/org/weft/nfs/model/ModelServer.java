package org.weft.nfs.model;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.weft.nfs.oncrpc.OncRpcOptions;
import org.weft.protocol.seam.Scheduler;

/**
 * Serves the model until it is killed, to try clients by hand: {@code ModelServer PORT
 * [CRASH_MILLIS]}. With the second argument the model loses unsynced bytes again and again, as a
 * server that dies and comes back. A correct client notices nothing.
 */
public final class ModelServer {
  private ModelServer() {}

  public static void main(String[] args) throws InterruptedException {
    ModelFileService files = new ModelFileService();
    try (ModelGateway gateway =
        new ModelGateway(files, files.root(), Integer.parseInt(args[0]), OncRpcOptions.USUAL)) {
      System.out.println("NFS and MOUNT at " + gateway.address());
      if (args.length > 1) {
        crashAfter(files, gateway.environment().scheduler(), Long.parseLong(args[1]));
      }
      new CountDownLatch(1).await();
    }
  }

  private static void crashAfter(ModelFileService files, Scheduler scheduler, long millis) {
    var unused =
        scheduler.schedule(
            TimeUnit.MILLISECONDS.toNanos(millis),
            Runnable::run,
            () -> {
              files.crash();
              crashAfter(files, scheduler, millis);
            });
  }
}
