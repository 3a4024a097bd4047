package org.weft.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Flink is told where it gets no file system. */
@Timeout(120)
class WeftFileSystemFactoryTest {
  private final URI uri = URI.create("weft://127.0.0.1:7300");

  @ParameterizedTest
  @CsvSource({
    "org.apache.hadoop., hadoop-client-api",
    "org.apache.flink.runtime., flink-hadoop-fs",
  })
  void jarsThatAreMissingAreNamed(String missing, String jar) throws Exception {
    try (URLClassLoader loader = new LoaderWithout(missing)) {
      Class<?> type = loader.loadClass(WeftFileSystemFactory.class.getName());
      Object factory = type.getConstructor().newInstance();
      InvocationTargetException thrown =
          assertThrows(
              InvocationTargetException.class,
              () -> type.getMethod("create", URI.class).invoke(factory, uri));
      Throwable told = thrown.getCause();
      assertEquals(UnsupportedFileSystemSchemeException.class.getName(), told.getClass().getName());
      assertTrue(told.getMessage().contains(jar), told::getMessage);
      assertTrue(told.getMessage().contains("lib/"), told::getMessage);
    }
  }

  /** Has what the tests have, but for the classes of one prefix. */
  private static final class LoaderWithout extends URLClassLoader {
    private final String prefix;

    LoaderWithout(String prefix) throws IOException {
      super(classPath(), ClassLoader.getPlatformClassLoader());
      this.prefix = prefix;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith(prefix)) {
        throw new ClassNotFoundException(name);
      }
      return super.findClass(name);
    }

    private static URL[] classPath() throws IOException {
      String tests = System.getProperty("surefire.test.class.path");
      String entries = tests == null ? System.getProperty("java.class.path") : tests;
      List<URL> urls = new ArrayList<>();
      for (String entry : entries.split(File.pathSeparator)) {
        urls.add(new File(entry).toURI().toURL());
      }
      return urls.toArray(URL[]::new);
    }
  }
}
