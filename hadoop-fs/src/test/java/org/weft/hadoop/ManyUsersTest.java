package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

/** A process that acts for many users, as servers of queries do. */
class ManyUsersTest {
  private static final int USERS = 20;

  private static long eventLoops() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("weft-wire"))
        .count();
  }

  private static FileSystem fileSystemOf(int user) throws IOException, InterruptedException {
    FileSystem fs =
        UserGroupInformation.createRemoteUser("user-" + user)
            .doAs(
                (PrivilegedExceptionAction<FileSystem>)
                    () ->
                        FileSystem.newInstance(
                            URI.create(SharedCluster.get().uri()), new Configuration()));
    fs.getFileStatus(new Path("/"));
    return fs;
  }

  @Test
  void fileSystemsOfManyUsersShareTheirEventLoops() throws Exception {
    List<FileSystem> open = new ArrayList<>();
    try {
      open.add(fileSystemOf(0));
      long ofOne = eventLoops();
      for (int user = 1; user < USERS; user++) {
        open.add(fileSystemOf(user));
      }
      assertEquals(ofOne, eventLoops());
      for (FileSystem each : open.subList(0, USERS - 1)) {
        each.close();
      }
      open.get(USERS - 1).getFileStatus(new Path("/tmp"));
    } finally {
      for (FileSystem each : open) {
        each.close();
      }
    }
  }
}
