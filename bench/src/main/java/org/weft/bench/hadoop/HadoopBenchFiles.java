package org.weft.bench.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.bench.load.BenchFiles;

/** A Hadoop file system. */
record HadoopBenchFiles(FileSystem files) implements BenchFiles {
  @Override
  public void mkdirs(String path) throws IOException {
    require(files.mkdirs(new Path(path)), "made", path);
  }

  @Override
  public Output create(String path) throws IOException {
    return new Writing(files.create(new Path(path), true));
  }

  @Override
  public Output append(String path) throws IOException {
    return new Writing(files.append(new Path(path)));
  }

  @Override
  public Input open(String path) throws IOException {
    return new Reading(files.open(new Path(path)));
  }

  @Override
  public long lengthBytes(String path) throws IOException {
    Path file = new Path(path);
    return files.exists(file) ? files.getFileStatus(file).getLen() : -1;
  }

  @Override
  public void stat(String path) throws IOException {
    var unused = files.getFileStatus(new Path(path));
  }

  @Override
  public int list(String path) throws IOException {
    return files.listStatus(new Path(path)).length;
  }

  @Override
  public void rename(String source, String target) throws IOException {
    require(files.rename(new Path(source), new Path(target)), "renamed", source);
  }

  @Override
  public void delete(String path) throws IOException {
    require(files.delete(new Path(path), false), "deleted", path);
  }

  @Override
  public void deleteTree(String path) throws IOException {
    var unused = files.delete(new Path(path), true);
  }

  private static void require(boolean done, String what, String path) throws IOException {
    if (!done) {
      throw new IOException(path + " could not be " + what);
    }
  }

  @Override
  public void close() throws IOException {
    files.close();
  }

  private record Writing(FSDataOutputStream stream) implements Output {
    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      stream.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
      stream.hflush();
    }

    @Override
    public void sync() throws IOException {
      stream.hsync();
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }

  private record Reading(FSDataInputStream stream) implements Input {
    @Override
    public void readFully(byte[] bytes, int length) throws IOException {
      stream.readFully(bytes, 0, length);
    }

    @Override
    public void readFully(long positionBytes, byte[] bytes) throws IOException {
      stream.readFully(positionBytes, bytes);
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }
}
