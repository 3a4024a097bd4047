package org.weft.hadoop.ends;

import java.io.File;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ReflectionUtils;
import org.weft.protocol.system.PolledWait;

/**
 * A program that runs a task again and again, each time in a class loader of its own. The thread
 * stays the same, as in the pools of application servers and executors. Weft and Netty are in that
 * class loader, Hadoop and all else are in a common parent. Prints how many of the class loaders
 * are still there at the end.
 */
final class LoaderProgram {
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration MAX_WAIT = Duration.ofSeconds(15);

  /** See {@link LeftBehindTest}: to wait until this one goes, too, is to wait in vain. */
  private static final int KEPT_BY_THE_JDK = 1;

  private static final List<String> OWN = List.of("/target/", "/io/netty/");

  private LoaderProgram() {}

  /** Arguments: the cluster's address, the task's class, how many class loaders. */
  public static void main(String[] args) throws Exception {
    // Hadoop finds out once which file systems there are, and starts a thread that stays: both keep
    // the context class loader of that moment.
    FileSystem.newInstanceLocal(new Configuration(false)).close();
    List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
    for (int number = 0; number < Integer.parseInt(args[2]); number++) {
      loaders.add(run(args[0], args[1]));
    }
    forgetClasses();
    PolledWait wait = PolledWait.every(PAUSE).atMost(MAX_WAIT);
    while ((left(loaders) > KEPT_BY_THE_JDK || !ProcessUse.ourThreads().isEmpty())
        && wait.pause()) {
      System.gc();
    }
    System.out.println("left " + left(loaders));
    System.out.println("threads " + ProcessUse.ourThreads());
  }

  /** Hadoop itself keeps the classes of file systems for ever, in these two tables. */
  private static void forgetClasses() throws ReflectiveOperationException {
    clear(FileSystem.class, "statisticsTable");
    clear(ReflectionUtils.class, "CONSTRUCTOR_CACHE");
  }

  private static void clear(Class<?> owner, String table) throws ReflectiveOperationException {
    Field field = owner.getDeclaredField(table);
    field.setAccessible(true);
    ((Map<?, ?>) field.get(null)).clear();
  }

  private static WeakReference<ClassLoader> run(String cluster, String task) throws Exception {
    Thread current = Thread.currentThread();
    ClassLoader common = current.getContextClassLoader();
    try (URLClassLoader loader = new OwnClasses(common)) {
      current.setContextClassLoader(loader);
      @SuppressWarnings("unchecked")
      Consumer<String> made =
          (Consumer<String>)
              Class.forName(task, true, loader).getDeclaredConstructor().newInstance();
      made.accept(cluster);
      return new WeakReference<>(loader);
    } finally {
      current.setContextClassLoader(common);
    }
  }

  /** Loads what is Weft's or Netty's itself, and takes the rest from its parent. */
  private static final class OwnClasses extends URLClassLoader {
    OwnClasses(ClassLoader parent) throws MalformedURLException {
      super(classPath(entry -> OWN.stream().anyMatch(entry::contains)), parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("org.weft.") && !name.startsWith("io.netty.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }
  }

  private static URL[] classPath(Predicate<String> wanted) throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (wanted.test(entry)) {
        urls.add(new File(entry).toURI().toURL());
      }
    }
    return urls.toArray(URL[]::new);
  }

  private static long left(List<WeakReference<ClassLoader>> loaders) {
    return loaders.stream().filter(loader -> loader.get() != null).count();
  }
}
