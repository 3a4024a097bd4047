package org.weft.hadoop.ends;

import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.weft.testkit.process.Await;

/**
 * A program that opens and closes thousands of file systems, of several users. Each tenth has a
 * client of its own, whose end it waits for. Prints what the process held after a few of them and
 * what it holds at the end.
 */
final class ManyEnds {
  private static final int WARM_UP_ENDS = 20;
  private static final int WITH_A_CLIENT = 10;
  private static final byte[] CONTENT = new byte[10_000];

  private final URI uri;

  private ManyEnds(URI uri) {
    this.uri = uri;
  }

  /** Arguments: the cluster's URI, how many. */
  public static void main(String[] args) throws Exception {
    ManyEnds program = new ManyEnds(URI.create(args[0]));
    Arrays.fill(CONTENT, (byte) 3);
    int ends = Integer.parseInt(args[1]);
    if (ends <= WARM_UP_ENDS) {
      throw new IllegalArgumentException(ends + " ends show no growth after " + WARM_UP_ENDS);
    }
    program.run(0, WARM_UP_ENDS);
    ProcessUse few = ProcessUse.atRest();
    System.out.println("few " + few);
    program.run(WARM_UP_ENDS, ends);
    ProcessUse many = ProcessUse.awaitNoMoreThan(few, 1 << 20);
    System.out.println("many " + many);
    System.out.println(many.isWithin(few, 1 << 20) ? "no more" : "more");
  }

  private void run(int from, int to) throws Exception {
    for (int number = from; number < to; number++) {
      int each = number;
      UserGroupInformation user =
          UserGroupInformation.createUserForTesting("user-" + number % 5, new String[] {"people"});
      PrivilegedExceptionAction<Void> once =
          () -> {
            one(each);
            return null;
          };
      user.doAs(once);
      FileSystem.closeAllForUGI(user);
    }
  }

  private void one(int number) throws IOException {
    Configuration conf = new Configuration(false);
    conf.set("fs.weft.client.keep", number % WITH_A_CLIENT == 0 ? "1ms" : "200ms");
    Path file = new Path("/tmp/ends-" + number % 50 + "-" + number % 5);
    try (FileSystem fs = FileSystem.newInstance(uri, conf)) {
      try (FSDataOutputStream out = fs.create(file, true)) {
        out.write(CONTENT);
      }
      try (FSDataInputStream in = fs.open(file)) {
        if (!Arrays.equals(CONTENT, in.readAllBytes())) {
          throw new IOException("other bytes than were written");
        }
      }
      if (number % 3 == 0) {
        // Left open: the file system's end closes them.
        fs.open(file).read();
        fs.create(new Path(file + "-open"), true).write(1);
      }
    }
    if (number % WITH_A_CLIENT == 0) {
      Await.until("the client's threads end", () -> ProcessUse.ourThreads().isEmpty());
    }
  }
}
