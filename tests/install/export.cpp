// A complete C++ program that uses libhtp: exports a TorchScript file and prints the JSON summary.
//
//     c++ -std=c++17 export.cpp $(pkg-config --cflags --libs htp) -o export
//     ./export model.pt model.onnx

#include <htp/htp.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace
{

using Result = std::unique_ptr<htp_result, decltype(&htp_result_free)>;

class ExportError : public std::runtime_error
{
  public:
    explicit ExportError(htp_status status)
        : std::runtime_error(htp_status_message(status)), code_(htp_status_code(status))
    {
        htp_status_free(status);
    }

    [[nodiscard]] htp_code code() const
    {
        return code_;
    }

  private:
    htp_code code_;
};

Result exportModel(const std::string &model, const std::string &onnx)
{
    htp_options options;
    htp_options_init(&options);
    options.opset = 17;

    htp_result *result = nullptr;
    if (htp_status status = htp_export(model.c_str(), onnx.c_str(), &options, &result)) {
        throw ExportError(status);
    }
    return {result, htp_result_free};
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::cerr << "usage: export MODEL.pt MODEL.onnx\n";
        return HTP_CODE_USAGE;
    }
    try {
        Result result = exportModel(argv[1], argv[2]);
        std::cout << htp_result_json(result.get()) << '\n';
    } catch (const ExportError &error) {
        std::cerr << error.what() << '\n';
        return error.code();
    }
    return 0;
}
