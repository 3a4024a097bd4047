package org.weft.nfs.model;

import java.util.concurrent.CountDownLatch;
import org.weft.nfs.oncrpc.OncRpcOptions;

/** Serves the model until it is killed, to try clients by hand: {@code ModelServer PORT}. */
public final class ModelServer {
  private ModelServer() {}

  public static void main(String[] args) throws InterruptedException {
    ModelFileService files = new ModelFileService();
    try (ModelGateway gateway =
        new ModelGateway(files, files.root(), Integer.parseInt(args[0]), OncRpcOptions.USUAL)) {
      System.out.println("NFS and MOUNT at " + gateway.address());
      new CountDownLatch(1).await();
    }
  }
}
