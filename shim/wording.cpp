#include "wording.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace htp
{

namespace
{

// The numbers that operands show: alike in all lanes, or those of one lane.
struct Numbers {
    std::set<std::string> fixed;
    std::set<std::string> moving;
};

class Reader
{
  public:
    Reader(const Recording &recording, size_t lane) : recording_(recording), lane_(lane) {}

    void read(const Item &item)
    {
        if (item.is_container()) {
            fix(static_cast<int64_t>(item.elements.size()));
            for (const Ref &element : item.elements) {
                read(*element);
            }
        } else if (item.is_tensor()) {
            read_tensor(item);
        } else if (item.lane[lane_].isInt()) {
            note(item, [&](size_t lane) { return item.lane[lane].toInt(); });
        }
    }

    Numbers numbers;

  private:
    void fix(int64_t number)
    {
        numbers.fixed.insert(std::to_string(number));
    }

    // A size that the data decides is made up in the first lane, too.
    template <typename In> void note(const Item &item, In in)
    {
        bool is_fixed = true;
        for (uint32_t lane = 1; lane < recording_.lane_count; lane++) {
            is_fixed = is_fixed && in(lane) == in(0);
        }
        const bool is_given = lane_ == 0 && !item.is_data;
        (is_fixed || is_given ? numbers.fixed : numbers.moving).insert(std::to_string(in(lane_)));
    }

    void read_tensor(const Item &item)
    {
        const int64_t rank = item.tensor(lane_).dim();
        fix(rank);
        for (int64_t dim = 0; dim < rank; dim++) {
            note(item, [&](size_t lane) { return item.tensor(lane).size(dim); });
        }
    }

    const Recording &recording_;
    const size_t lane_;
};

bool is_digit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_letter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether the 'x' at @p at stands between two sizes: "10x7".
bool is_times(const std::string &text, size_t at)
{
    return at > 0 && at + 1 < text.size() && text[at] == 'x' && is_digit(text[at - 1]) &&
           is_digit(text[at + 1]);
}

// Whether the digits from @p begin to @p end are a whole number: no part of "conv2d", "4D", "0.5".
bool is_whole(const std::string &text, size_t begin, size_t end)
{
    const bool is_begun = begin > 0 && (is_letter(text[begin - 1]) || text[begin - 1] == '.') &&
                          !is_times(text, begin - 1);
    const bool goes_on = end < text.size() &&
                         ((is_letter(text[end]) && !is_times(text, end)) ||
                          (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1])));
    return !is_begun && !goes_on;
}

// Whether what stands before @p at says that a position follows, rather than a size.
bool is_position(const std::string &text, size_t at)
{
    static const char *const words[] = {"dimension ", "dim ", "argument ", "number ", "#"};
    return std::any_of(std::begin(words), std::end(words), [&](const std::string &word) {
        return at >= word.size() && text.compare(at - word.size(), word.size(), word) == 0;
    });
}

} // namespace

std::string worded(const Recording &recording, const std::vector<Ref> &inputs, size_t lane,
                   const std::string &text)
{
    const bool any_data = std::any_of(inputs.begin(), inputs.end(), [](const Ref &input) {
        return input->is_data || std::any_of(input->elements.begin(), input->elements.end(),
                                             [](const Ref &one) { return one->is_data; });
    });
    if (lane == 0 && !any_data) {
        return text;
    }
    Reader reader(recording, lane);
    for (const Ref &input : inputs) {
        reader.read(*input);
    }
    std::string told;
    for (size_t i = 0; i < text.size();) {
        size_t end = i;
        while (end < text.size() && is_digit(text[end])) {
            end++;
        }
        end = std::max(end, i + 1);
        const std::string word = text.substr(i, end - i);
        const bool is_size = is_digit(word[0]) && is_whole(text, i, end) && !is_position(text, i);
        const Numbers &known = reader.numbers;
        const std::string number = i > 0 && text[i - 1] == '-' ? "-" + word : word;
        const bool is_told = known.fixed.count(number) != 0 && known.moving.count(number) == 0;
        told += is_size && !is_told ? "?" : word;
        i = end;
    }
    return told;
}

} // namespace htp
