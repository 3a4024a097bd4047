package org.weft.it.simulation;

import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.simulator.run.Simulate;

/**
 * Runs the scripted scenarios of classes one after another, without a build tool: {@code
 * it/planted-bugs} uses it for bugs that no seed meets. Of scripts with parameters it runs those
 * that take one boolean.
 */
public final class Scripts {
  private static final String FOLDER = "org.weft.it.simulation.scenario.";

  private Scripts() {}

  /** Exits with 1 if one fails, and says which. */
  public static void main(String[] classes) throws ReflectiveOperationException {
    Simulate.silence();
    int failed = 0;
    for (String name : classes) {
      failed += failures(Class.forName(FOLDER + name), System.out);
    }
    System.exit(failed == 0 ? 0 : 1);
  }

  private static int failures(Class<?> scripts, PrintStream out)
      throws ReflectiveOperationException {
    int failed = 0;
    List<Method> methods =
        Stream.of(scripts.getDeclaredMethods())
            .sorted(Comparator.comparing(Method::getName))
            .toList();
    for (Method method : methods) {
      for (Object[] arguments : arguments(method)) {
        failed += fails(scripts, method, arguments, out) ? 1 : 0;
      }
    }
    return failed;
  }

  /** One array for each run; none of what is no script. */
  private static List<Object[]> arguments(Method method) {
    List<Object[]> runs = new ArrayList<>();
    if (method.isAnnotationPresent(Test.class)) {
      runs.add(new Object[0]);
    } else if (method.isAnnotationPresent(ValueSource.class)) {
      for (boolean value : method.getAnnotation(ValueSource.class).booleans()) {
        runs.add(new Object[] {value});
      }
    }
    return runs;
  }

  private static boolean fails(Class<?> scripts, Method method, Object[] arguments, PrintStream out)
      throws ReflectiveOperationException {
    Constructor<?> constructor = scripts.getDeclaredConstructor();
    constructor.setAccessible(true);
    method.setAccessible(true);
    try {
      var unused = method.invoke(constructor.newInstance(), arguments);
      return false;
    } catch (InvocationTargetException e) {
      out.println("VIOLATION in script " + scripts.getSimpleName() + "." + method.getName());
      out.println("  " + e.getCause());
      return true;
    }
  }
}
