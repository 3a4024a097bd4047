package org.weft.hadoop;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A program of its own that writes two files and ends without closing either. One is of a file
 * system of Hadoop's cache, and one of a FileContext.
 */
final class UnclosedProgram {
  static final Path OF_FILE_SYSTEM = new Path("/tmp/unclosed-of-file-system");
  static final Path OF_FILE_CONTEXT = new Path("/tmp/unclosed-of-file-context");
  static final String TEXT = "written";

  private UnclosedProgram() {}

  /** Argument: the cluster's URI. */
  public static void main(String[] args) throws IOException {
    URI uri = URI.create(args[0]);
    Configuration conf = new Configuration(false);
    conf.set("fs.AbstractFileSystem.weft.impl", WeftFs.class.getName());
    FSDataOutputStream closedAtTheEnd = FileSystem.get(uri, conf).create(OF_FILE_SYSTEM);
    closedAtTheEnd.write(TEXT.getBytes(StandardCharsets.UTF_8));
    FSDataOutputStream givenUp =
        FileContext.getFileContext(uri, conf)
            .create(OF_FILE_CONTEXT, EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE));
    givenUp.write(TEXT.getBytes(StandardCharsets.UTF_8));
    givenUp.hflush();
    System.out.println("written");
  }
}
