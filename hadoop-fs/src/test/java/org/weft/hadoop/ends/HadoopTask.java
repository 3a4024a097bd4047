package org.weft.hadoop.ends;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Arrays;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.testkit.process.Await;

/** Writes and reads a file by Hadoop's API, and waits until the client behind it has ended. */
public final class HadoopTask implements Consumer<String> {
  private static final int LENGTH_BYTES = 3_000_000;

  @Override
  public void accept(String cluster) {
    byte[] content = new byte[LENGTH_BYTES];
    Arrays.fill(content, (byte) 9);
    Configuration conf = new Configuration(false);
    conf.setClassLoader(HadoopTask.class.getClassLoader());
    conf.set("fs.weft.impl", "org.weft.hadoop.WeftHadoopFileSystem");
    conf.set("fs.weft.client.keep", "1ms");
    Path file = new Path("/tmp/of-a-loader-of-hadoop");
    try (FileSystem fs = FileSystem.newInstance(URI.create("weft://" + cluster), conf)) {
      try (FSDataOutputStream out = fs.create(file, true)) {
        out.write(content);
        out.hflush();
      }
      try (FSDataInputStream in = fs.open(file)) {
        if (!Arrays.equals(content, in.readAllBytes())) {
          throw new IllegalStateException("other bytes than were written");
        }
      }
      fs.listStatus(file.getParent());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Await.until("the client's threads end", () -> ProcessUse.ourThreads().isEmpty());
  }
}
